/** The views' metadata in a target: what view-states says, kept there for readers. */
package io.indexview.connect.common.metadata;
