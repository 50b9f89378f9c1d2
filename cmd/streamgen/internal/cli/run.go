package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/streamgen/streamgen/cmd/streamgen/internal/local"
)

func (t *tool) run() *cobra.Command {
	in := &input{tool: t}
	var o local.Options
	var inputs []string
	var format string
	var quiet bool
	c := &cobra.Command{
		Use:   "run [app.hcl | directory] [-- argument...]",
		Short: "Build a program and run it against an embedded broker, or a real one",
		Long: `Run builds the program and runs it as a process of its own. Without --brokers it
starts a Kafka broker inside of this command, creates the topics on it, writes the
input to them and prints what the sinks write, one JSON object a line.

It ends when the input is consumed to the end, or on an interrupt: the program
drains, and a summary says what it did. Without input it runs until interrupted.

Arguments behind -- go to the program; -- --help lists them.`,
		Example: `  streamgen run --input input/
  streamgen run app.hcl --input orders=orders.jsonl.gz --show enriched
  streamgen run app.hcl --brokers localhost:9092 -- --memory 1GiB`,
		Args: func(c *cobra.Command, args []string) error {
			if n := c.ArgsLenAtDash(); n >= 0 {
				args = args[:n]
			}
			return specArg(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if n := c.ArgsLenAtDash(); n >= 0 {
				args, o.Args = args[:n], args[n:]
			}
			for _, s := range inputs {
				list, err := local.ParseInput(s)
				if err != nil {
					return usageError{err}
				}
				o.Inputs = append(o.Inputs, list...)
			}
			switch format {
			case "auto", "text", "json":
				o.Text = format == "text" || format == "auto" && isTerminal(t.out)
			default:
				return usageError{fmt.Errorf("--format is auto, text or json, not %q", format)}
			}
			if o.Partitions < 1 {
				return usageError{errors.New("--partitions is at least 1")}
			}
			if quiet {
				o.Show = []string{}
			}
			p, err := in.load(args)
			if err != nil {
				return err
			}
			pr, err := t.make(c.Context(), p, in.out, true)
			if err != nil {
				return err
			}
			o.Plan, o.Binary, o.Out, o.Log, o.Say = p.plan, pr.Binary, t.out, t.err, t.say
			s, err := local.Run(c.Context(), o)
			if s != nil {
				t.summary(s)
			}
			return err
		},
	}
	in.flags(c, false)
	c.Flags().StringVarP(&in.out, "out", "o", "", "write the package to this `directory`")
	c.Flags().StringSliceVar(&o.Brokers, "brokers", nil, "Kafka brokers, `host:port,…`; none: an embedded broker")
	c.Flags().StringArrayVar(&inputs, "input", nil, "records to write: `topic=file.jsonl[.gz]`, or a directory of such files; may be repeated")
	c.Flags().StringArrayVar(&o.Show, "show", nil, "show the records of this `sink` only; may be repeated")
	c.Flags().BoolVarP(&quiet, "quiet", "q", false, "show no records")
	c.Flags().IntVar(&o.Limit, "limit", 0, "show at most this `number` of records of each sink")
	c.Flags().StringVar(&format, "format", "auto", "how records are shown: text, json, or auto: text on a terminal")
	c.Flags().Int32Var(&o.Partitions, "partitions", 4, "partitions of topics on the embedded broker")
	c.Flags().BoolVarP(&o.Verbose, "verbose", "v", false, "show all of the program's log")
	complete(c, "format", "auto", "text", "json")
	completeSpec(c)
	return c
}

// summary says what a program did.
func (t *tool) summary(s *local.Summary) {
	if s.Hidden > 0 {
		t.say("… %s not shown", count(s.Hidden, "record"))
	}
	rate := "at once"
	if s.Seconds > 0 {
		rate = fmt.Sprintf("%.0f records/s", float64(s.In)/s.Seconds)
	}
	t.say("")
	t.say("records in    %d", s.In)
	t.say("records out   %d", s.Out)
	if s.Dropped > 0 {
		t.say("dropped       %d", s.Dropped)
	}
	if s.Keys >= 0 {
		t.say("state keys    %d", s.Keys)
	}
	t.say("took          %.2f s (%s)", s.Seconds, rate)
}
