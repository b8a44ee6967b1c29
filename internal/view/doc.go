// Package view turns graphs and records into what people read.
package view
