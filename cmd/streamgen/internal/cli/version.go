package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/streamgen/streamgen/cmd/streamgen/internal/modproxy"
)

func (t *tool) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			version, release := modproxy.Version()
			kind := "release"
			if !release {
				kind = "development build, carries its runtime"
			}
			_, err := fmt.Fprintf(t.out, "streamgen %s (%s)\n%s %s/%s\n", version, kind, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
