/** How values of options are read. */
package io.indexview.cli.option;
