/** The application: its start, its life and its end. */
package io.indexview.streams.app;
