package io.indexview.schemas.registry;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.SchemaCompatibility.SchemaCompatibilityType;

/**
 * A registry inside this JVM, for tests and trials. Every subject has the rule that real ones have
 * by default, BACKWARD: a new version can read data written with the one before.
 */
public final class InMemorySchemaRegistry implements SchemaRegistry {
  private static final Map<String, InMemorySchemaRegistry> SHARED = new ConcurrentHashMap<>();

  private final Map<String, Integer> ids = new LinkedHashMap<>();
  private final List<Schema> schemas = new ArrayList<>();
  private final Map<String, List<Registered>> subjects = new LinkedHashMap<>();

  /** The registry that all users of {@code mock://<scope>} in this JVM share. */
  public static InMemorySchemaRegistry shared(String scope) {
    return SHARED.computeIfAbsent(scope, name -> new InMemorySchemaRegistry());
  }

  @Override
  public synchronized int register(String subject, Schema schema) {
    Optional<Registered> known = find(subject, schema);
    if (known.isPresent()) {
      return known.get().id();
    }
    if (!isCompatible(subject, schema)) {
      throw new RegistryException.Incompatible(
          "subject %s: the schema cannot read data of version %d"
              .formatted(subject, versions(subject).size()));
    }
    int id = ids.computeIfAbsent(schema.toString(), text -> add(schema));
    List<Registered> versions = subjects.computeIfAbsent(subject, name -> new ArrayList<>());
    versions.add(new Registered(id, versions.size() + 1, byId(id)));
    return id;
  }

  @Override
  public synchronized Schema byId(int id) {
    if (id < 1 || id > schemas.size()) {
      throw new RegistryException.NotFound("schema id " + id + " is not in the registry");
    }
    return schemas.get(id - 1);
  }

  @Override
  public Optional<Registered> latest(String subject) {
    List<Registered> versions = versions(subject);
    return versions.isEmpty() ? Optional.empty() : Optional.of(versions.get(versions.size() - 1));
  }

  @Override
  public boolean isCompatible(String subject, Schema schema) {
    return latest(subject).map(last -> canRead(schema, last.schema())).orElse(true);
  }

  /** Does nothing: others may share the registry. */
  @Override
  public void close() {}

  /** All versions of a subject, oldest first; empty if there is no such subject. */
  public synchronized List<Registered> versions(String subject) {
    return List.copyOf(subjects.getOrDefault(subject, List.of()));
  }

  /** The version that a schema has under a subject. */
  public Optional<Registered> find(String subject, Schema schema) {
    String text = schema.toString();
    return versions(subject).stream()
        .filter(version -> version.schema().toString().equals(text))
        .findFirst();
  }

  /** All subjects, in the order of their first version. */
  public synchronized List<String> subjects() {
    return List.copyOf(subjects.keySet());
  }

  private int add(Schema schema) {
    // A copy of its own, as a real registry gives: nobody may depend on the instance.
    try {
      schemas.add(new Schema.Parser().parse(schema.toString()));
    } catch (AvroRuntimeException e) {
      throw new RegistryException.Rejected("the schema is not valid Avro: " + e.getMessage(), e);
    }
    return schemas.size();
  }

  private static boolean canRead(Schema reader, Schema writer) {
    return SchemaCompatibility.checkReaderWriterCompatibility(reader, writer).getType()
        == SchemaCompatibilityType.COMPATIBLE;
  }
}
