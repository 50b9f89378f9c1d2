// Command streamgen compiles topologies written in HCL to Go programs on Kafka.
package main

import (
	"os"

	"github.com/streamgen/streamgen/cmd/streamgen/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
