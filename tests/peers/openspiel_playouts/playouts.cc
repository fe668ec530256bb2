// Times random play of OpenSpiel's own C++ as `croupier bench --only engine` times ours: uniformly random legal actions,
// each decision observed by the seat to move into one buffer or not, in decisions (without chance) per processor second.
// ../README.md says how to build it.
//
//     playouts [GAME [SECONDS]]

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "open_spiel/spiel.h"

namespace {

constexpr int kGames = 100;  // between two looks at the clock

double ProcessorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Plays one game to its end and returns the number of its decisions.
long Playout(const open_spiel::Game& game, std::mt19937& rng, std::vector<float>* observation) {
  long decisions = 0;
  auto state = game.NewInitialState();
  while (!state->IsTerminal()) {
    if (state->IsChanceNode()) {
      state->ApplyAction(open_spiel::SampleAction(state->ChanceOutcomes(), rng).first);
      continue;
    }
    ++decisions;
    if (observation != nullptr) {
      state->ObservationTensor(state->CurrentPlayer(), absl::MakeSpan(*observation));
    }
    const std::vector<open_spiel::Action> actions = state->LegalActions();
    std::uniform_int_distribution<int> any(0, actions.size() - 1);
    state->ApplyAction(actions[any(rng)]);
  }
  return decisions;
}

double DecisionsPerSecond(const open_spiel::Game& game, double seconds, std::vector<float>* observation) {
  std::mt19937 rng(1);
  long decisions = 0;
  const double begin = ProcessorSeconds();
  double spent = 0;
  while (spent < seconds) {
    for (int i = 0; i < kGames; i++) decisions += Playout(game, rng, observation);
    spent = ProcessorSeconds() - begin;
  }
  return decisions / spent;
}

}  // namespace

int main(int argc, char** argv) {
  const auto game = open_spiel::LoadGame(argc > 1 ? argv[1] : "pig");
  const double seconds = argc > 2 ? std::atof(argv[2]) : 1;
  std::vector<float> observation(game->ObservationTensorSize());
  std::printf("plain %.0f\n", DecisionsPerSecond(*game, seconds, nullptr));
  std::printf("observed %.0f\n", DecisionsPerSecond(*game, seconds, &observation));
}
