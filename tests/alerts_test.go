package tests

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"croupier/internal/nightly"
	"croupier/internal/testproc"
)

// alertRule is a rule of dashboards/alerts.yml.
type alertRule struct {
	Alert, Expr, For    string
	Labels, Annotations map[string]string
}

func readAlerts(t *testing.T) []alertRule {
	doc, err := os.ReadFile(alertsFile)
	require.NoError(t, err)
	var file struct{ Groups []struct{ Rules []alertRule } }
	require.NoError(t, yaml.Unmarshal(doc, &file))
	var rules []alertRule
	for _, g := range file.Groups {
		rules = append(rules, g.Rules...)
	}
	return rules
}

func TestAlertsSayWhatToDo(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range readAlerts(t) {
		require.False(t, seen[r.Alert], "%s appears twice", r.Alert)
		seen[r.Alert] = true
		require.True(t, strings.HasPrefix(r.Alert, "Croupier"), r.Alert)
		require.NotEmpty(t, r.For, r.Alert)
		require.Contains(t, []string{"critical", "warning", "info"}, r.Labels["severity"], r.Alert)
		for _, a := range []string{"summary", "description", "action"} {
			require.NotEmpty(t, r.Annotations[a], "%s has no %s", r.Alert, a)
		}
	}
}

// healthy is a run in which all is well, in the notation of promtool: one value a
// minute for an hour.
var healthy = map[string]string{
	`up{job="croupier",instance="a"}`:                                                              "1+0x60",
	`process_start_time_seconds{job="croupier",instance="a"}`:                                      "1000+0x60",
	`process_open_fds{job="croupier",instance="a"}`:                                                "30+0x60",
	`process_max_fds{job="croupier",instance="a"}`:                                                 "1000+0x60",
	`croupier_learner_version{job="croupier",agent="main"}`:                                        "1+1x60",
	`croupier_learner_updates_total{job="croupier",agent="main"}`:                                  "0+100x60",
	`croupier_learner_version{job="croupier",agent="hunter"}`:                                      "1+1x60",
	`croupier_learner_updates_total{job="croupier",agent="hunter"}`:                                "0+100x60",
	`croupier_learner_checkpoint_seconds_count{job="croupier",agent="hunter"}`:                     "0+2x60",
	`croupier_learner_episodes_total{job="croupier",agent="hunter",outcome="consumed"}`:            "0+100x60",
	`croupier_learner_episodes_total{job="croupier",agent="hunter",outcome="lost"}`:                "0+0x60",
	`croupier_actor_paused{job="croupier",agent="hunter",instance="a"}`:                            "0+0x60",
	`croupier_learner_rollbacks_total{job="croupier",agent="main"}`:                                "0+0x60",
	`croupier_learner_setbacks_total{job="croupier",agent="main"}`:                                 "0+0x60",
	`croupier_learner_checkpoint_seconds_count{job="croupier",agent="main"}`:                       "0+2x60",
	`croupier_learner_failures_total{job="croupier",agent="main",operation="checkpoint"}`:          "0+0x60",
	`croupier_learner_failures_total{job="croupier",agent="main",operation="ledger"}`:              "0+0x60",
	`croupier_learner_lag_versions_bucket{job="croupier",agent="main",le="2"}`:                     "0+1000x60",
	`croupier_learner_lag_versions_bucket{job="croupier",agent="main",le="12"}`:                    "0+1000x60",
	`croupier_learner_lag_versions_bucket{job="croupier",agent="main",le="+Inf"}`:                  "0+1000x60",
	`croupier_learner_episodes_total{job="croupier",agent="main",outcome="consumed"}`:              "0+1000x60",
	`croupier_learner_episodes_total{job="croupier",agent="main",outcome="lost"}`:                  "0+1x60",
	`croupier_learner_episodes_total{job="croupier",agent="main",outcome="stale"}`:                 "0+10x60",
	`croupier_learner_refusals_total{job="croupier",agent="main",reason="illegal"}`:                "0+0x60",
	`croupier_learner_refused_batches_total{job="croupier",agent="main",reason="rules"}`:           "0+0x60",
	`croupier_learner_actors_set_aside{job="croupier",agent="main"}`:                               "0+0x60",
	`croupier_learner_waiting_seconds_total{job="croupier",agent="main"}`:                          "0+12x60",
	`croupier_learner_group_left_out_total{job="croupier",agent="main"}`:                           "0 1 1 2+0x58",
	`croupier_audit_games_total{job="croupier",outcome="wrong"}`:                                   "0+0x60",
	`croupier_archive_failing{job="croupier"}`:                                                     "0 1 0+0x58",
	`croupier_bus_unacknowledged_messages_total{job="croupier",instance="a"}`:                      "0+0x60",
	`croupier_bus_reconnects_total{job="croupier",instance="a"}`:                                   "0+0x20 2+0x40",
	`croupier_actor_paused{job="croupier",agent="main",instance="a"}`:                              "0 1 1 0 1 0 1 1+0x3 0+0x50",
	`croupier_actor_games_total{job="croupier",instance="a",kind="training"}`:                      "0+1000x60",
	`croupier_actor_games_total{job="croupier",instance="a",kind="cut"}`:                           "0+0x60",
	`croupier_actor_weights_version{job="croupier",agent="main",instance="a"}`:                     "1+1x60",
	`croupier_actor_matches_total{job="croupier",instance="a",outcome="played"}`:                   "0+10x60",
	`croupier_actor_matches_total{job="croupier",instance="a",outcome="failed"}`:                   "0+1x60",
	`croupier_league_members{job="croupier"}`:                                                      "3+0x60",
	`croupier_league_outstanding_matches{job="croupier"}`:                                          "8+0x60",
	`croupier_league_results_total{job="croupier",outcome="applied"}`:                              "0+10x60",
	`croupier_league_results_total{job="croupier",outcome="refused"}`:                              "0+0x60",
	`croupier_league_unsent_messages{job="croupier"}`:                                              "0 3 0+0x58",
	`croupier_broker_healthy{job="croupier",instance="b"}`:                                         "1+0x60",
	`croupier_broker_jetstream_store_bytes{job="croupier",instance="b"}`:                           "10+0x60",
	`croupier_broker_jetstream_store_limit_bytes{job="croupier",instance="b"}`:                     "100+0x60",
	`croupier_broker_jetstream_memory_bytes{job="croupier",instance="b"}`:                          "10+0x60",
	`croupier_broker_jetstream_memory_limit_bytes{job="croupier",instance="b"}`:                    "100+0x60",
	`croupier_disk_level{job="croupier",instance="b",of="broker"}`:                                 "0+0x60",
	`croupier_broker_routes{job="croupier",instance="b"}`:                                          "8+0x60",
	`croupier_broker_slow_consumers_total{job="croupier",instance="b"}`:                            "0+0x60",
	`croupier_web_feed_connected{job="croupier",instance="w"}`:                                     "1+0x60",
	`croupier_broker_refused_total{job="croupier",instance="b",key="actor-3",operation="publish"}`: "0+0x60",
}

// Every fault begins 20 minutes after the start of the healthy run. An empty series
// is one that is gone.
var faults = []struct {
	name   string
	series map[string]string // by the beginning of the name, to be replaced
	fires  []string          // after 40 minutes, exactly these
}{
	{"none", nil, nil},
	{"a process is down", map[string]string{`up{`: "1+0x20 0+0x40"}, []string{"CroupierProcessDown"}},
	{"a process restarts all the time", map[string]string{`process_start`: "1000+60x60"}, []string{"CroupierRestarts"}},
	{"files run out", map[string]string{`process_open`: "30+0x20 900+0x40"}, []string{"CroupierFilesRunningOut"}},
	{"an actor is quarantined", map[string]string{`croupier_learner_actors`: "0+0x20 1+0x40"},
		[]string{"CroupierActorSetAside"}},
	{"games are invented", map[string]string{`croupier_audit`: "0+0x20 1+1x40"}, []string{"CroupierGamesInvented"}},
	{"the archive cannot be written", map[string]string{`croupier_archive_failing`: "0+0x20 1+0x40"},
		[]string{"CroupierArchiveFailing"}},
	{"no broker", map[string]string{`croupier_broker`: "_x60"}, []string{"CroupierNoBroker"}},
	{"no actor", map[string]string{`croupier_actor`: "_x60"}, []string{"CroupierNoActor"}},
	{"no league", map[string]string{`croupier_league`: "_x60"}, []string{"CroupierNoLeague"}},
	{"the learner is gone, its actors wait", map[string]string{
		`croupier_learner`:      "_x60",
		`croupier_actor_paused`: "0+0x20 1+0x40",
		`croupier_actor_games_total{job="croupier",instance="a",kind="training"}`: "0+1000x20 20000+0x40",
		`croupier_actor_weights`: "1+1x20 21+0x40",
	}, []string{"CroupierNoLearner", "CroupierActorPaused", "CroupierNothingPlayed"}},
	{"the learner hangs", map[string]string{
		`croupier_learner_updates`: "0+100x20 2000+0x40", `croupier_learner_version`: "1+1x20 21+0x40",
		`croupier_actor_weights`: "1+1x20 21+0x40",
	}, []string{"CroupierLearnerStalled"}},
	{"one learner of two hangs", map[string]string{
		`croupier_learner_updates_total{job="croupier",agent="hunter"`: "0+100x20 2000+0x40",
	}, []string{"CroupierLearnerStalled"}},
	{"one learner of two is gone", map[string]string{
		`croupier_learner_version{job="croupier",agent="hunter"`:       "1+1x20 _x40",
		`croupier_learner_updates_total{job="croupier",agent="hunter"`: "0+100x20 _x40",
	}, []string{"CroupierNoLearner"}},
	{"one learner of two writes no checkpoints", map[string]string{
		`croupier_learner_checkpoint_seconds_count{job="croupier",agent="hunter"`: "0+2x20 40+0x40",
	}, []string{"CroupierCheckpointTooOld"}},
	{"one agent of two loses games", map[string]string{
		`croupier_learner_episodes_total{job="croupier",agent="hunter",outcome="lost"`: "0+2x60",
	}, []string{"CroupierExperienceLost"}},
	{"one agent of two waits for its learner", map[string]string{
		`croupier_actor_paused{job="croupier",agent="hunter"`: "1+0x60",
	}, []string{"CroupierLearnerIsTheBottleneck"}},
	{"an update is rolled back", map[string]string{`croupier_learner_rollbacks`: "0+0x30 1+0x30"},
		[]string{"CroupierUpdateRolledBack"}},
	{"training goes back to the best version", map[string]string{`croupier_learner_setbacks`: "0+0x30 1+0x30"},
		[]string{"CroupierStrengthLost"}},
	{"checkpoints are switched off", map[string]string{`croupier_learner_checkpoint`: "0+2x20 40+0x40"},
		[]string{"CroupierCheckpointTooOld"}},
	{"checkpoints fail", map[string]string{`croupier_learner_failures_total{job="croupier",agent="main",operation="checkpoint"}`: "0+0x20 1+2x40"}, []string{"CroupierCheckpointFails"}},
	{"ledgers cannot be written", map[string]string{`croupier_learner_failures_total{job="croupier",agent="main",operation="ledger"}`: "0+0x20 1+2x40"}, []string{"CroupierLearnerFailures"}},
	{"the policy lags", map[string]string{`croupier_learner_lag_versions_bucket{job="croupier",agent="main",le="2"}`: "0+100x60"}, []string{"CroupierPolicyLagHigh"}},
	{"the learner is slow", map[string]string{`croupier_actor_paused`: "1+0x60"},
		[]string{"CroupierLearnerIsTheBottleneck"}},
	{"the learner waits for games", map[string]string{`croupier_learner_waiting`: "0+40x60"},
		[]string{"CroupierActorsAreTheBottleneck"}},
	{"a peer's link is too slow", map[string]string{`croupier_learner_group_left_out`: "0+0x15 1+1x45"},
		[]string{"CroupierPeersLeftOut"}},
	{"one episode in a hundred is lost",
		map[string]string{`croupier_learner_episodes_total{job="croupier",agent="main",outcome="lost"}`: "0+12x60"},
		[]string{"CroupierExperienceLost"}},
	{"a sixth is stale", map[string]string{`croupier_learner_episodes_total{job="croupier",agent="main",outcome="stale"}`: "0+200x60"}, []string{"CroupierExperienceStale"}},
	{"an illegal game", map[string]string{`croupier_learner_refusals`: "0+0x30 1+0x30"},
		[]string{"CroupierExperienceRefused"}},
	{"an actor with other rules", map[string]string{`croupier_learner_refused_batches`: "0+0x30 5+5x30"},
		[]string{"CroupierExperienceRefused"}},
	{"no acknowledgements", map[string]string{`croupier_bus_unack`: "0+0x20 1+1x40"},
		[]string{"CroupierExperienceNotAcknowledged"}},
	{"old weights", map[string]string{`croupier_actor_weights`: "1+1x20 21+0x40"},
		[]string{"CroupierActorKeepsOldWeights"}},
	{"games without end", map[string]string{`croupier_actor_games_total{job="croupier",instance="a",kind="cut"}`: "0+0x20 0+100x40"}, []string{"CroupierHistoriesCut"}},
	{"no results", map[string]string{`croupier_league_results_total{job="croupier",outcome="applied"}`: "0+10x20 200+0x40"}, []string{"CroupierLeagueStuck"}},
	{"nothing to play", map[string]string{
		`croupier_league_results_total{job="croupier",outcome="applied"}`: "0+10x20 200+0x40",
		`croupier_league_outstanding`:                                     "8+0x20 0+0x40",
	}, nil},
	{"matches fail", map[string]string{`croupier_actor_matches_total{job="croupier",instance="a",outcome="failed"}`: "0+20x60"}, []string{"CroupierMatchesFail"}},
	{"a forged result", map[string]string{`croupier_league_results_total{job="croupier",outcome="refused"}`: "0+0x32 1+0x28"}, []string{"CroupierResultsRefused"}},
	{"the league cannot publish", map[string]string{`croupier_league_unsent`: "0+0x20 2+0x40"},
		[]string{"CroupierLeagueCannotPublish"}},
	{"a disk was full", map[string]string{`croupier_broker_healthy`: "1+0x20 0+0x40"},
		[]string{"CroupierBrokerUnhealthy"}},
	{"a disk fills up by others", map[string]string{`croupier_disk_level`: "0+0x20 1+0x40"},
		[]string{"CroupierDiskNearlyFull"}},
	{"hardly any room is left", map[string]string{`croupier_disk_level`: "0+0x20 2+0x40"}, []string{"CroupierDiskFull"}},
	{"the storage fills up", map[string]string{`croupier_broker_jetstream_store_bytes`: "60+1x60"},
		[]string{"CroupierBrokerDiskNearlyFull"}},
	{"memory fills up", map[string]string{`croupier_broker_jetstream_memory_bytes`: "60+1x60"},
		[]string{"CroupierBrokerMemoryNearlyFull"}},
	{"a broker of three is gone", map[string]string{`croupier_broker_routes`: "8+0x20 4+0x40"},
		[]string{"CroupierBrokerAlone"}},
	{"slow consumers", map[string]string{`croupier_broker_slow`: "0+0x20 1+1x40"}, []string{"CroupierSlowConsumers"}},
	{"an attack", map[string]string{`croupier_broker_refused`: "0+0x20 1+1x40"}, []string{"CroupierRefused"}},
	{"a bad network", map[string]string{`croupier_bus_reconnects`: "0+0x20 0+2x40"}, []string{"CroupierReconnects"}},
	{"the page is alone", map[string]string{`croupier_web_feed_connected`: "1+0x20 0+0x40"},
		[]string{"CroupierPageWithoutBroker"}},
}

// TestAlertsFire lets promtool play each fault through the rules. Prometheus looks at them once a minute. Each change
// looks every five minutes, as each fault lasts for twenty: then an alert that fires too late or never is seen, at a
// quarter of the time, but not one that a healthy run would have for a minute in the middle of a fault's time to wait.
func TestAlertsFire(t *testing.T) {
	t.Parallel()
	promtool := needs(t, "promtool")
	rules, err := filepath.Abs(alertsFile)
	require.NoError(t, err)
	out, err := testproc.CombinedOutput(exec.Command(promtool, "check", "rules", rules))
	require.NoError(t, err, "%s", out)

	covered := map[string]bool{}
	var groups []any
	for _, f := range faults {
		var samples []any
		for _, alert := range f.fires {
			covered[alert] = true
			samples = append(samples, map[string]any{"labels": fmt.Sprintf("{alertname=%q}", alert), "value": 1})
		}
		groups = append(groups, map[string]any{
			"name": f.name, "interval": "1m", "input_series": faultSeries(t, f.series),
			"promql_expr_test": []any{map[string]any{
				"expr": `group by (alertname) (ALERTS{alertstate="firing"})`, "eval_time": "40m", "exp_samples": samples,
			}},
		})
	}
	for _, r := range readAlerts(t) {
		require.True(t, covered[r.Alert], "no fault shows that %s fires", r.Alert)
	}
	interval := fmt.Sprintf("%dm", nightly.Cases(5, 1))
	doc, err := yaml.Marshal(map[string]any{"rule_files": []string{rules}, "evaluation_interval": interval,
		"tests": groups})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "faults.yml")
	require.NoError(t, os.WriteFile(file, doc, 0o644))
	out, err = testproc.CombinedOutput(exec.Command(promtool, "test", "rules", file))
	require.NoError(t, err, "%s", out)
}

// faultSeries returns the healthy series with those of a fault in their place.
func faultSeries(t *testing.T, fault map[string]string) []any {
	used := map[string]bool{}
	var series []any
	for _, name := range slices.Sorted(maps.Keys(healthy)) {
		values := healthy[name]
		for prefix, v := range fault {
			if strings.HasPrefix(name, prefix) {
				used[prefix], values = true, v
			}
		}
		series = append(series, map[string]string{"series": name, "values": values})
	}
	require.Len(t, used, len(fault), "a series of the fault is not in the healthy run")
	return series
}
