// Command pipeline turns a folder of TASK files into verified git commits.
package main

import (
	"os"

	"github.com/taskpipeline/pipeline"
)

func main() { os.Exit(pipeline.Main(os.Args[1:], nil)) }
