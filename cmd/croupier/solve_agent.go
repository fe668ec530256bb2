package main

import "github.com/spf13/cobra"

// solveAgent are the flags that name an agent to be measured against the truth.
type solveAgent struct {
	agent string
	run   string
}

// add adds the flags; against says what the agent is measured against.
func (o *solveAgent) add(cmd *cobra.Command, against string) {
	f := cmd.Flags()
	f.StringVar(&o.agent, "agent", "", "agent to measure against "+against)
	f.StringVar(&o.run, "run", "", "run directory with versions like main@12, for --agent")
}

// check refuses --run without an agent, and an agent with flags that are about the solution
// alone.
func (o *solveAgent) check(cmd *cobra.Command, solution ...string) error {
	if o.agent == "" {
		if o.run != "" {
			return usage("--run %s: it is for --agent, as in --agent main@12", o.run)
		}
		return nil
	}
	for _, name := range solution {
		if cmd.Flags().Changed(name) {
			return usage("--%s: it is about the solution; leave it out to measure --agent %s", name, o.agent)
		}
	}
	return nil
}
