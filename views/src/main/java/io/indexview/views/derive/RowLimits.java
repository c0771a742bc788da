package io.indexview.views.derive;

import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewDefinition;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.DynamoDbLayout;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.LayoutException;
import org.apache.avro.generic.GenericRecord;

/**
 * Refuses rows that the view topic or the target would refuse later, where nobody could answer for
 * them. Rows that are small enough whatever they hold are not laid out for it.
 */
final class RowLimits {
  /** No text form of a number, date or null is longer than that beyond its binary form. */
  private static final int FIELD_OVERHEAD = 40;

  private static final int SAFE_DYNAMODB_BYTES = 1024;

  private final CompiledView view;
  private final int maxRowBytes;
  private final int safeKeyBytes;
  private final int safeValueBytes;
  private final KvLayout kv;
  private final DynamoDbLayout dynamoDb;

  RowLimits(CompiledView view, int maxRowBytes) {
    this.view = view;
    this.maxRowBytes = maxRowBytes;
    ViewGeneration generation = view.generation();
    ViewDefinition definition = generation.definition();
    int overhead = FIELD_OVERHEAD * (definition.key().size() + 1);
    if (definition.target() instanceof Target.Kv target) {
      kv = KvLayout.of(generation);
      dynamoDb = null;
      overhead += target.prefix().length() + generation.storeName().length();
      // The store may take up to twice as many bytes for a character as UTF-8 does.
      safeKeyBytes = KvLayout.MAX_KEY_BYTES / 2 - overhead;
      safeValueBytes = Integer.MAX_VALUE;
    } else {
      kv = null;
      dynamoDb = DynamoDbLayout.of(generation);
      // Documents have keys and numbers of their own, each with its own rule.
      boolean layOutAll =
          definition.kind() == ViewDefinition.Kind.DOCUMENT
              || !(definition.include() == null || definition.include().isEmpty());
      // Escapes at most double a key.
      safeKeyBytes = layOutAll ? -1 : (SAFE_DYNAMODB_BYTES - overhead) / 2;
      safeValueBytes = layOutAll ? -1 : SAFE_DYNAMODB_BYTES;
    }
  }

  void check(ViewRow row) throws DerivationException {
    int keyBytes = row.keyBody().length;
    int valueBytes = row.valueBody().length;
    if (keyBytes + valueBytes > maxRowBytes) {
      throw new DerivationException(
          "a row takes %d bytes, the limit is %d; include fewer fields"
              .formatted(keyBytes + valueBytes, maxRowBytes));
    }
    if (keyBytes > safeKeyBytes || valueBytes > safeValueBytes) {
      layOut(row);
    }
  }

  private void layOut(ViewRow row) throws DerivationException {
    GenericRecord key = view.keyOf(row);
    try {
      if (kv != null) {
        kv.path(key::get);
      } else {
        dynamoDb.item(key::get, view.valueOf(row, 0)::get, 0);
      }
    } catch (LayoutException e) {
      throw new DerivationException(e.getMessage(), e);
    }
  }
}
