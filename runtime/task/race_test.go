//go:build race

package task

// raced: pools lose at random what they hold, so that memory is made anew.
const raced = true
