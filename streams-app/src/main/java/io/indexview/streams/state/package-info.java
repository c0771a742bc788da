/** What a task keeps: the entries of its records, and how far its scans over them are. */
package io.indexview.streams.state;
