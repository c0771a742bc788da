/** What to do when a record is refused, or something outside is not available. */
package io.indexview.connect.common.errors;
