/** How each kind of work is done. */
package io.indexview.streams.work.jobs;
