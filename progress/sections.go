package progress

import "strings"

// section is a part of a result.md.
type section int

const (
	sectionHeader section = iota // above the first heading of level 2
	sectionOther
	sectionSummary
	sectionChecklist
	sectionVerification
	sectionFiles
	sectionIssues
	sectionNotes
	sectionContext
	sectionBuilder
	sectionVerifier
)

// sectionOf is the section that a heading begins, in the languages that
// result.md files are written in; or sectionOther and, for a heading inside the
// list of files, the action it stands for.
func sectionOf(title string) (section, Action) {
	title = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(title), ":"))
	switch {
	case strings.HasPrefix(title, "builder context"):
		return sectionBuilder, ""
	case strings.HasPrefix(title, "verifier context"):
		return sectionVerifier, ""
	}
	switch title {
	case "summary", "요약", "サマリー":
		return sectionSummary, ""
	case "completed checklist", "완료 체크리스트", "完了チェックリスト":
		return sectionChecklist, ""
	case "verification results", "검증 결과", "検証結果":
		return sectionVerification, ""
	case "files changed", "변경 파일", "変更ファイル":
		return sectionFiles, ""
	case "issues encountered", "발생 이슈", "発生した問題":
		return sectionIssues, ""
	case "notes for subsequent tasks", "후속 task 참고사항", "後続タスクへの注記":
		return sectionNotes, ""
	case "context handoff", "컨텍스트 핸드오프", "コンテキスト引き継ぎ":
		return sectionContext, ""
	}
	action, _ := actionOf(title)
	return sectionOther, action
}
