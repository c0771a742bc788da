/** Commands on primary records. */
package io.indexview.cli.record;
