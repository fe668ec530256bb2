// Package platform hides what differs between the operating systems that Croupier
// runs on: Linux, macOS and other Unix systems in platform_unix.go, Windows in
// platform_windows.go. All the rest of the program is the same source on each of them.
package platform
