/** Commands on files. */
package io.indexview.cli.file;
