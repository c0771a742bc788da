/** What the commands share: options, what they print, and children of the program. */
package io.indexview.benchmarks.command;
