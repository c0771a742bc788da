package io.indexview.views.derive;

import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewDefinition;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.encoding.FieldType;
import io.indexview.views.encoding.PlainValues;
import io.indexview.views.layout.DynamoDbLayout;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.LayoutException;
import java.util.Optional;
import org.apache.avro.Schema;
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
  private final boolean document;

  RowLimits(CompiledView view, int maxRowBytes) {
    this.view = view;
    this.maxRowBytes = maxRowBytes;
    ViewGeneration generation = view.generation();
    ViewDefinition definition = generation.definition();
    int overhead = FIELD_OVERHEAD * (definition.key().size() + 1);
    if (definition.target() instanceof Target.Kv target) {
      kv = KvLayout.of(generation);
      dynamoDb = null;
      document = false;
      overhead += target.prefix().length() + generation.storeName().length();
      // The store may take up to twice as many bytes for a character as UTF-8 does.
      safeKeyBytes = KvLayout.MAX_KEY_BYTES / 2 - overhead;
      safeValueBytes = Integer.MAX_VALUE;
    } else if (definition.target() instanceof Target.Connect) {
      kv = null;
      dynamoDb = null;
      document = false;
      safeKeyBytes = Integer.MAX_VALUE;
      safeValueBytes = Integer.MAX_VALUE;
    } else {
      kv = null;
      dynamoDb = DynamoDbLayout.of(generation);
      ViewFields fields = generation.fields();
      document = definition.kind() == ViewDefinition.Kind.DOCUMENT;
      boolean bounded =
          fields.values().stream().allMatch(field -> isBounded(field.schema()))
              && !(document && fields.key().stream().anyMatch(field -> isInexact(field.type())));
      // Escapes at most double a key.
      safeKeyBytes = bounded ? (SAFE_DYNAMODB_BYTES - overhead) / 2 : -1;
      safeValueBytes = SAFE_DYNAMODB_BYTES;
    }
  }

  /** Whether any value is taken that is short enough. */
  private static boolean isBounded(Schema schema) {
    Schema other = PlainValues.withoutNull(schema);
    Optional<FieldType> type = FieldType.of(other);
    return type.isPresent()
        ? !isInexact(type.get())
        : other.getType() == Schema.Type.BYTES && other.getLogicalType() == null;
  }

  /** DynamoDB does not take all numbers of these. */
  private static boolean isInexact(FieldType type) {
    return type == FieldType.FLOAT || type == FieldType.DOUBLE;
  }

  void check(ViewRow row) throws DerivationException {
    int keyBytes = row.keyBody().length;
    int valueBytes = row.valueBody().length;
    if (keyBytes + valueBytes > maxRowBytes) {
      throw new DerivationException(
          "a row takes %d bytes, the limit is %d; include fewer fields"
              .formatted(keyBytes + valueBytes, maxRowBytes));
    }
    if (keyBytes > safeKeyBytes || valueBytes > safeValueBytes || mayHoldNoText(row)) {
      layOut(row);
    }
  }

  /** The keys of documents are their fields as they are: empty text, a zero in Avro, is refused. */
  private boolean mayHoldNoText(ViewRow row) {
    if (document) {
      for (byte one : row.keyBody()) {
        if (one == 0) {
          return true;
        }
      }
    }
    return false;
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
