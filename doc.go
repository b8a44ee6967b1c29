// Package pipeline turns a folder of TASK files into verified git commits.
package pipeline
