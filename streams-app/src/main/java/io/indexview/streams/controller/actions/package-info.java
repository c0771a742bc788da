/**
 * What the controller does and watches: topics, freezing, READY checks, removal, ad-hoc snapshots,
 * dead letters. {@link io.indexview.streams.controller.actions.Actions} knows how each action is
 * done; all of them may be done twice.
 */
package io.indexview.streams.controller.actions;
