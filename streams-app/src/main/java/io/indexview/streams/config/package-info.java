/** The application's configuration, checked as a whole before anything starts. */
package io.indexview.streams.config;
