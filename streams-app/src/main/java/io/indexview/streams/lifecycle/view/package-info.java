/** What the owner of the view states remembers of each view. */
package io.indexview.streams.lifecycle.view;
