package io.indexview.streams.generation;

/**
 * A generation as {@code view-generations} holds it.
 *
 * @param definition as canonical JSON
 * @param createdAtMs ms since the epoch
 */
public record PublishedGeneration(
    String view,
    int generation,
    String definition,
    String recordSet,
    String sourceTopic,
    String viewTopic,
    SchemaIds schemas,
    int encodingVersion,
    long createdAtMs) {

  /**
   * Ids in the registry.
   *
   * @param reader the record schema that it reads with
   */
  public record SchemaIds(int reader, int key, int value) {}

  static PublishedGeneration of(FrozenGeneration frozen, long nowMs) {
    var generation = frozen.generation();
    return new PublishedGeneration(
        generation.view(),
        generation.number(),
        generation.definition().toJson(),
        generation.recordSet().name(),
        generation.sourceTopic(),
        generation.viewTopic(),
        new SchemaIds(frozen.readerSchemaId(), frozen.keySchemaId(), frozen.valueSchemaId()),
        generation.encodingVersion(),
        nowMs);
  }
}
