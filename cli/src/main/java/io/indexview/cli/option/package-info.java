/** Options that commands share, and how values of options are read. */
package io.indexview.cli.option;
