/** {@code indexview sources}. */
package io.indexview.cli.source;
