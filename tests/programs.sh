# To be sourced: builds the program once for all tests that start it (internal/testprogram). Other variants are built
# there by the first test that needs one.
CROUPIER_TEST_PROGRAMS=$PWD/bin/test-programs
export CROUPIER_TEST_PROGRAMS
rm -rf "$CROUPIER_TEST_PROGRAMS"
mkdir -p "$CROUPIER_TEST_PROGRAMS"
go build -buildvcs=false -ldflags=-s -o "$CROUPIER_TEST_PROGRAMS/croupier" ./cmd/croupier
