// Hello is a program that is built in no time.
package main

import "os"

func main() { os.Stdout.WriteString("hello\n") }
