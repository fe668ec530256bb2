package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// usualNames are what other programs call settings, as flags or in the place of a key, by what it is here.
var usualNames = map[string]string{
	"--set learner.ppo.minibatch=512":                        "batch-size batchsize batch minibatch-size mini-batch-size minibatch",
	"--set learner.learning_rate_start=0.0003":               "lr learning-rate alpha step-size",
	"--set learner.ppo.epochs=4":                             "epochs n-epochs num-epochs update-epochs",
	"--set learner.ppo.samples=16384":                        "n-steps num-steps rollout-length horizon-length train-batch-size",
	"--set learner.gamma=0.99":                               "gamma discount discount-factor",
	"--set learner.ppo.gae_lambda=0.95":                      "gae-lambda lambda gae lam",
	"--set learner.ppo.clip_start=0.2":                       "clip clip-range clip-coef clip-param epsilon-clip eps-clip",
	"--set learner.ppo.entropy_start=0.01":                   "entropy entropy-coef ent-coef entropy-coefficient",
	"--set learner.ppo.value_coefficient=0.5":                "value-coef vf-coef value-loss-coef",
	"--set learner.gradient_norm=0.5":                        "max-grad-norm grad-norm grad-clip gradient-clip clip-grad",
	"--set learner.checkpoint_interval=10000":                "checkpoint-interval checkpoint-every checkpoint-freq save-interval save-freq save-every",
	"--set learner.horizon=10000000":                         "timesteps total-timesteps total-steps max-steps steps",
	"--set learner.dqn.replay_decisions=100000":              "buffer-size replay-size replay-buffer replay-buffer-size replay-buffer-capacity",
	"--set learner.dqn.target_interval=100":                  "target-update target-update-interval target-network-frequency",
	"--set learner.dqn.exploration_start=1":                  "epsilon eps epsilon-start exploration",
	"--set actor.tables=128":                                 "num-envs n-envs envs tables",
	"--config with a section network (croupier config GAME)": "hidden hidden-size hidden-sizes hidden-layers layers network net-arch policy lstm attention",
	"--actors": "workers num-workers n-workers jobs threads processes num-actors",
	"--algo":   "algorithm agent-type",
	"--run":    "output-dir out-dir logdir log-dir save-dir checkpoint-dir dir output",
	"--games":  "episodes num-episodes n-games num-games max-games max-episodes",
	"--for":    "time duration time-limit max-time timeout budget",
	"--resume": "restore load continue load-checkpoint",
}

// usualName returns what is meant by the name of a flag that other programs have, "" where there is nothing like it.
func usualName(cmd *cobra.Command, flag string) string {
	flag = strings.ReplaceAll(strings.ToLower(flag), "_", "-")
	for meant, names := range usualNames {
		name, _, _ := strings.Cut(strings.TrimPrefix(meant, "--"), " ")
		for _, n := range strings.Fields(names) {
			if n == flag && cmd.Flags().Lookup(name) != nil {
				return meant
			}
		}
	}
	return ""
}
