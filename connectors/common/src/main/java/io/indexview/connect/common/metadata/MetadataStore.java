package io.indexview.connect.common.metadata;

import io.indexview.views.layout.ViewMetadata;
import java.util.List;
import java.util.Optional;

/**
 * Port to where a target keeps the metadata of its views. Everything it writes is durable when the
 * call returns. Methods throw the store's own exceptions when it does not answer.
 */
public interface MetadataStore {
  /** Where metadata belongs; empty if it lists no generation whose rows are in this target. */
  Optional<MetadataLocation> location(ViewMetadata metadata);

  /** All places with metadata of a view, wherever they are. */
  List<MetadataLocation> find(String view);

  /** Makes what readers of the listed generations need, before they are told of them. */
  void prepare(ViewMetadata metadata);
}
