/** What commands print. */
package io.indexview.cli.output;
