package dispatch_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
)

var builder03 = dispatch.Expect{Work: "WORK-01", Task: "TASK-03", Agent: dispatch.Builder}

const done = `<context-handoff><what>done</what></context-handoff>`

func pass(inside string) string { return `<task-result status="PASS">` + inside + `</task-result>` }

func read(t *testing.T, output string) dispatch.Result {
	t.Helper()
	r, err := dispatch.ParseResult([]byte(output), builder03)
	require.NoError(t, err)
	return r
}

func TestInvalidOutputsSayWhy(t *testing.T) {
	t.Parallel()
	nested := strings.Repeat("<deep>", 70) + strings.Repeat("</deep>", 70)
	for output, why := range map[string]string{
		"":                  "there is no complete <task-result> element in 0 bytes of output: end the reply with one",
		pass(""):            "it is a PASS without context-handoff: say what was done",
		pass(done + done):   "it has 2 context-handoff elements: keep one",
		pass(nested + done): "<deep> is nested more than 64 deep",
		`<task-result>` + done + `</task-result>`:                                     `it has no status: write status="PASS" or status="FAIL"`,
		`<task-result status=" PASS ">` + done + `</task-result>`:                     `its status is "PASS": write PASS or FAIL`,
		`<task-result status="PASS" task="">` + done + `</task-result>`:               `it names the TASK "", asked was TASK-03`,
		`<task-result status="PASS" task="TASK-04">` + done + `</task-result>`:        `it names the TASK "TASK-04", asked was TASK-03`,
		`<task-result status="PASS" agent="verifier">` + done + `</task-result>`:      `it names the stage "verifier", asked was builder`,
		`<task-result status="FAIL" status="FAIL"></task-result>`:                     "<task-result>: the attribute status is repeated",
		`<task-result status=PASS>` + done + `</task-result>`:                         "<task-result>: the attribute status is not quoted",
		pass(`<context-handoff><what>a</what><what>b</what></context-handoff>`):       "its context-handoff has 2 <what>: keep one",
		pass(`<context-handoff><what> </what></context-handoff>`):                     "it is a PASS whose context-handoff has an empty what: say what was done",
		pass(`<context-handoff><what>a</what>`):                                       "<context-handoff> is never closed",
		pass(done) + `<task-result status="FAIL">`:                                    "<task-result> is never closed",
		pass(done) + `<task-result status="FAIL" age`:                                 "<task-result> is never closed",
		pass(done) + `<task-result status="FAIL"><notes>he said ` + pass(done) + ` b`: "<notes> is never closed",
		`<task-result status="FAIL">` + pass(done) + `</task-result>`:                 "it holds another task-result outside any text",
	} {
		r, err := dispatch.ParseResult([]byte(output), builder03)
		require.ErrorIs(t, err, dispatch.ErrInvalid, "%s", output)
		require.EqualError(t, err, "no valid task-result: "+why, "%s", output)
		require.Zero(t, r)
	}
}

func TestLaterInvalidElementIsNotRescuedByAnEarlierOne(t *testing.T) {
	t.Parallel()
	_, err := dispatch.ParseResult([]byte(pass(done)+`<task-result status="MAYBE"></task-result>`), builder03)
	require.ErrorIs(t, err, dispatch.ErrInvalid)
}

func TestVerdictCutOffInsideATextIsNeverThePassThatFollows(t *testing.T) {
	t.Parallel()
	for _, output := range []string{
		`<task-result status="FAIL"><summary>the be` + "\n" + pass("<summary>ok</summary>"+done),
		`<task-result status="PASS"><summary>the be` + "\n" + `<task-result status="FAIL"><summary>red</summary></task-result>`,
		`<task-result status="PASS">` + `<context-handoff><what>a <![CDATA[ b</what></context-handoff></task-result> <task-result status="FAIL"><notes><![CDATA[x]]></notes>`,
	} {
		r, err := dispatch.ParseResult([]byte(output), builder03)
		require.Error(t, err, "%s", output)
		require.NotEqual(t, dispatch.Pass, r.Status)
	}
}

func TestInterruptedElementGivesWayToTheCompleteOne(t *testing.T) {
	t.Parallel()
	r := read(t, `<task-result status="PASS"><summary>x</summary> let me redo that: <task-result status="FAIL"></task-result>`)
	require.Equal(t, dispatch.Fail, r.Status)
}

func TestMentionInProseIsNoElement(t *testing.T) {
	t.Parallel()
	r := read(t, "I end with <task-result> and its <summary>, or <task-result as asked>.\n"+pass("<summary>ok</summary>"+done)+"\nNo </task-result> follows, and no <task-result> either.")
	require.Equal(t, "ok", r.Summary)
}

func TestElementQuotedInATextBelongsToIt(t *testing.T) {
	t.Parallel()
	quoted := pass("<notes>mine</notes>" + done)
	r := read(t, `<task-result status="FAIL"><notes>it said `+quoted+` twice: `+quoted+`</notes></task-result>`)
	require.Equal(t, dispatch.Fail, r.Status)
	require.Equal(t, "it said "+quoted+" twice: "+quoted, r.Notes)
	r = read(t, `<task-result status="FAIL"><log>`+quoted+`</log><!-- a comment --></task-result>`)
	require.Equal(t, dispatch.Fail, r.Status)
}

func TestTextMayMentionItsOwnName(t *testing.T) {
	t.Parallel()
	r := read(t, pass(`<summary>the <summary> element</summary><context-handoff><what>fills <what> now</what><why>y</why></context-handoff>`))
	require.Equal(t, "the <summary> element", r.Summary)
	require.Equal(t, "fills <what> now", r.Handoff.What)
	require.Equal(t, "y", r.Handoff.Why)
}

func TestIdsAreComparedByNumber(t *testing.T) {
	t.Parallel()
	r := read(t, `<task-result status="PASS" task="WORK-01-TASK-3">`+done+`</task-result>`)
	require.EqualValues(t, "TASK-03", r.Task)
}

func TestWorkAndFromOfAnotherAreWarnings(t *testing.T) {
	t.Parallel()
	r := read(t, `<task-result status="PASS" work="WORK-09"><context-handoff from="verifier"><what>x</what></context-handoff></task-result>`)
	require.Equal(t, "WORK-01", r.Work)
	require.Equal(t, []string{
		`work="WORK-09" is another work; read as WORK-01`,
		`its context-handoff is from "verifier"; read as from builder`,
	}, r.Warnings)
}

func TestTextOver64KiBIsCutWithAMarkAndAWarning(t *testing.T) {
	t.Parallel()
	r := read(t, pass(`<context-handoff><what>`+strings.Repeat("가", 30_000)+`</what></context-handoff>`))
	require.LessOrEqual(t, len(r.Handoff.What), 64<<10)
	require.True(t, strings.HasSuffix(r.Handoff.What, "가\n[… cut here]"))
	require.Equal(t, []string{"<what> is 90000 bytes long and was cut to 65536"}, r.Warnings)

	var b strings.Builder
	require.NoError(t, r.Encode(&b))
	again := read(t, b.String())
	require.True(t, r.Handoff.What == again.Handoff.What)
	require.Empty(t, again.Warnings)
}

func TestElementOver4MiBIsInvalid(t *testing.T) {
	t.Parallel()
	_, err := dispatch.ParseResult([]byte(pass(done+"<notes>"+strings.Repeat("x", 4<<20)+"</notes>")), builder03)
	require.ErrorContains(t, err, "bytes long, more than 4194304")
}

func TestReferencesDecodeOnceAndNothingIsExpanded(t *testing.T) {
	t.Parallel()
	r := read(t, pass(`<notes>&#65;&#x42; &#0; &#xD800; &#x110000; &nbsp; &amp;amp; &#; &#x; & &;</notes>`+done))
	require.Equal(t, "AB \uFFFD \uFFFD \uFFFD &nbsp; &amp; &#; &#x; & &;", r.Notes)
}

func TestTerminalSequencesAreStrippedEvenInsideTags(t *testing.T) {
	t.Parallel()
	r := read(t, "\x1b]0;title\x07<task-\x1b[1mresult status=\"PASS\">\x1b]8;;http://x\x1b\\"+done+"\x1b[0m</task-result>\x1b[")
	require.Equal(t, "done", r.Handoff.What)
}

func TestUnfinishedTerminalSequenceHidesNoVerdict(t *testing.T) {
	t.Parallel()
	require.Equal(t, dispatch.Fail, read(t, pass(done)+"\x1b]0;\n<task-result status=\"FAIL\"></task-result>\x07").Status)
}

func TestParseRefusesWhatEncodeDoesNotWrite(t *testing.T) {
	t.Parallel()
	for _, message := range []string{
		"", "prose", "<task-result/>", "<dispatch>", `<dispatch attempt="many"/>`,
		`<dispatch><context-handoff detail-level="half"/></dispatch>`,
		`<dispatch>` + strings.Repeat("<a>", 100) + strings.Repeat("</a>", 100) + `</dispatch>`,
	} {
		_, err := dispatch.Parse([]byte(message))
		require.ErrorContains(t, err, "read the dispatch: ", "%s", message)
	}
}

func TestLastElementThatIsInvalidIsNotRescuedByAnEarlierOne(t *testing.T) {
	t.Parallel()
	good := `<task-result status="PASS"><context-handoff><what>x</what></context-handoff></task-result>`
	for _, bad := range []string{
		`<task-result status="FAIL" status="PASS"><context-handoff><what>y</what></context-handoff></task-result>`,
		`<task-result><context-handoff><what>y</what></context-handoff></task-result>`,
		`<task-result status="PASS" task="TASK-09"><context-handoff><what>y</what></context-handoff></task-result>`,
	} {
		_, err := dispatch.ParseResult([]byte(good+"\n"+bad), dispatch.Expect{Task: "TASK-03", Agent: dispatch.Builder})
		require.ErrorIs(t, err, dispatch.ErrInvalid, bad)
	}
}
