/** The command line, {@code bin/indexview}. */
package io.indexview.cli;
