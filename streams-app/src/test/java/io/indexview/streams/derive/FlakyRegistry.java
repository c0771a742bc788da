package io.indexview.streams.derive;

import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.avro.Schema;

/**
 * A registry that does not answer questions for ids while it is down, or has lost them all, or is
 * broken itself; it takes no schema while it is read-only.
 */
public final class FlakyRegistry implements SchemaRegistry {
  public final AtomicBoolean down = new AtomicBoolean();
  public final AtomicBoolean lost = new AtomicBoolean();
  public final AtomicBoolean broken = new AtomicBoolean();
  public final AtomicBoolean readOnly = new AtomicBoolean();
  public final AtomicInteger refused = new AtomicInteger();
  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();

  @Override
  public int register(String subject, Schema schema) {
    if (readOnly.get()) {
      throw new RegistryException.Unavailable("read-only", null);
    }
    return registry.register(subject, schema);
  }

  @Override
  public Schema byId(int id) {
    if (down.get()) {
      refused.incrementAndGet();
      throw new RegistryException.Unavailable("down", null);
    }
    if (broken.get()) {
      throw new IllegalStateException("a bug");
    }
    if (lost.get()) {
      throw new RegistryException.NotFound("no schema " + id);
    }
    return registry.byId(id);
  }

  @Override
  public Optional<Registered> latest(String subject) {
    return registry.latest(subject);
  }

  @Override
  public boolean isCompatible(String subject, Schema schema) {
    return registry.isCompatible(subject, schema);
  }

  @Override
  public void close() {}
}
