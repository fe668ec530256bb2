//go:build tools

// Package apiserver pins the Kubernetes API server that takes the manifests of deploy/kubernetes in a long test. It is
// a module of its own: nothing of it is in the program.
package apiserver

import _ "k8s.io/kubernetes/cmd/kube-apiserver"
