package io.indexview.streams.derive;

import io.indexview.schemas.fixtures.ForwardingRegistry;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.RegistryException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.avro.Schema;

/**
 * A registry that does not answer questions for ids while it is down, or has lost them all, or is
 * broken itself; it takes no schema while it is read-only.
 */
public final class FlakyRegistry extends ForwardingRegistry {
  public final AtomicBoolean down = new AtomicBoolean();
  public final AtomicBoolean lost = new AtomicBoolean();
  public final AtomicBoolean broken = new AtomicBoolean();
  public final AtomicBoolean readOnly = new AtomicBoolean();
  public final AtomicInteger refused = new AtomicInteger();

  public FlakyRegistry() {
    super(new InMemorySchemaRegistry());
  }

  @Override
  public int register(String subject, Schema schema) {
    if (readOnly.get()) {
      throw new RegistryException.Unavailable("read-only", null);
    }
    return super.register(subject, schema);
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
    return super.byId(id);
  }
}
