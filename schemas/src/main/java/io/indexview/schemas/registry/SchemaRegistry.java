package io.indexview.schemas.registry;

import java.util.Optional;
import org.apache.avro.Schema;

/**
 * A schema registry. Implementations are safe for use by several threads and cache what never
 * changes: a schema by its id, the id of a registered schema.
 *
 * <p>Every method throws {@link RegistryException}; {@link RegistryException.Unavailable} is worth
 * a retry, the others are not.
 */
public interface SchemaRegistry extends AutoCloseable {

  /** Registers a schema, or finds it registered already; returns its id. */
  int register(String subject, Schema schema);

  /**
   * The schema of an id.
   *
   * @throws RegistryException.NotFound if the registry has no such id, and did not get it back in
   *     the configured time; until then it is {@link RegistryException.Unavailable}
   */
  Schema byId(int id);

  /** The newest version of a subject; empty if the subject does not exist. Not cached. */
  Optional<Registered> latest(String subject);

  /** Whether the schema could be registered under the subject. Not cached. */
  boolean isCompatible(String subject, Schema schema);

  @Override
  void close();

  /** One registered schema. */
  record Registered(int id, int version, Schema schema) {}
}
