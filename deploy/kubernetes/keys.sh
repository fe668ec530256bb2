#!/bin/sh
# Writes, into the folder of a credential set, the kustomization that brings its keys into the cluster:
#
#   deploy/kubernetes/keys.sh FOLDER
#
# The public ones go to the brokers, with a password for their own connections, which it makes once; each role gets its
# secret, and actors find theirs by the names of their pods. Run it again when keys have come or gone.
set -eu
cd "$1"
[ -s cluster_password ] || (umask 077 && openssl rand -hex 24 >cluster_password)
{
	cat <<'END'
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
# Changed keys reach the pods that run.
generatorOptions: {disableNameSuffixHash: true}
configMapGenerator:
  - {name: keys, files: [broker.yaml]}
secretGenerator:
  - {name: brokers, files: [cluster_password]}
  - {name: learner, files: [learner.seed]}
  - {name: league, files: [league.seed]}
  - {name: web, files: [web.seed]}
  - name: actors
    files:
END
	for seed in actor-*.seed; do
		echo "      - $seed"
	done
} >kustomization.yaml
