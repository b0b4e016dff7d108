// SPDX-License-Identifier: Apache-2.0

package verbs

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/cmd/internal/version"
	"github.com/dragoman-io/dragoman/engine/author/reference"
)

// newVersionCommand returns the verb for what --version prints, and more.
func newVersionCommand(streams verb.Streams) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "version",
		Short: "Print version and commit",
		Long: `version prints version and commit. With -o json it also prints a hash of the engine: of the
operations, with their arguments and results, and of the functions that scripts call. Two
programs with the same hash take the same scripts.`,
		Example: `  dragoman version -o json`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			var err error
			switch output {
			case "text":
				_, err = fmt.Fprintln(streams.Out, "dragoman version", version.String())
			case "json":
				err = writeVersion(streams)
			default:
				err = fmt.Errorf("output %q: want text or json", output)
			}
			return err
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "text", "form of the output: text or json")
	return c
}

func writeVersion(streams verb.Streams) error {
	hash, err := reference.EngineHash()
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(streams.Out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(struct {
		version.Build
		Engine string `json:"engine"`
	}{version.Read(), hash})
}
