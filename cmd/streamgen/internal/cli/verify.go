package cli

import (
	"context"
	"errors"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"
)

func (t *tool) verify() *cobra.Command {
	in := &input{tool: t}
	var out string
	var brokers []string
	c := &cobra.Command{
		Use:   "verify [app.hcl | directory] [-- argument...]",
		Short: "Check a program's topics on live brokers, and where records lie in them",
		Long: `Verify builds the program and lets it check the topics on the brokers, as it does
when it starts: they exist, have partition counts that go together, and settings
that lose nothing. Beyond that it looks at the latest records of each topic whose
records meet others by their keys: they must lie in the partitions that the
source's partitioner gives their keys. Nothing is written to the brokers.

Arguments behind -- go to the program, as for TLS and SASL; -- --help lists them.`,
		Example: `  streamgen verify --brokers localhost:9092
  streamgen verify app.hcl --brokers kafka:9093 -- --tls --sasl-mechanism PLAIN --sasl-user shop`,
		Args: func(c *cobra.Command, args []string) error {
			if n := c.ArgsLenAtDash(); n >= 0 {
				args = args[:n]
			}
			return specArg(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			var more []string
			if n := c.ArgsLenAtDash(); n >= 0 {
				args, more = args[:n], args[n:]
			}
			if len(brokers) == 0 {
				return usageError{errors.New("--brokers host:port says where the topics are")}
			}
			p, err := in.load(args)
			if err != nil {
				return err
			}
			pr, err := t.make(c.Context(), p, out, true)
			if err != nil {
				return err
			}
			return t.verified(c.Context(), pr.Binary, append([]string{"--verify", "--brokers", strings.Join(brokers, ",")}, more...))
		},
	}
	in.flags(c, false)
	c.Flags().StringVarP(&out, "out", "o", "", "write the package to this `directory`")
	c.Flags().StringSliceVar(&brokers, "brokers", nil, "Kafka brokers, `host:port,…`")
	completeSpec(c)
	return c
}

// verified runs a program that checks. It has said what is wrong.
func (t *tool) verified(ctx context.Context, binary string, args []string) error {
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Stdout, cmd.Stderr = t.out, t.err
	var failed *exec.ExitError
	if err := cmd.Run(); errors.As(err, &failed) {
		return exit(exitFailed)
	} else if err != nil {
		return err
	}
	return nil
}
