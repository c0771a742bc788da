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
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;

/**
 * Refuses rows that the view topic or the target would refuse later, where nobody could answer for
 * them. Rows that the target takes whatever they hold are not laid out for it: that costs more than
 * deriving them.
 */
final class RowLimits {
  /** No number, date or null takes more as text, with what separates it from the next. */
  private static final int MAX_FIELD_TEXT = 40;

  /** Leaves room for the prefix and the name of the index. */
  private static final int SAFE_KV_BYTES = KvLayout.MAX_KEY_BYTES - 700;

  private static final int SAFE_DYNAMODB_BYTES = 1024;
  private static final byte[] LARGE_OBJECT =
      KvLayout.LARGE_OBJECT_SUFFIX.getBytes(StandardCharsets.US_ASCII);

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
    int fieldTexts = MAX_FIELD_TEXT * definition.key().size();
    // Both stores take up to twice as many bytes for a text as UTF-8 does.
    if (definition.target() instanceof Target.DynamoDb) {
      kv = null;
      dynamoDb = DynamoDbLayout.of(generation);
      document = definition.kind() == ViewDefinition.Kind.DOCUMENT;
      safeKeyBytes = isBounded(generation.fields()) ? (SAFE_DYNAMODB_BYTES - fieldTexts) / 2 : -1;
      safeValueBytes = SAFE_DYNAMODB_BYTES;
    } else {
      boolean isKv = definition.target() instanceof Target.Kv;
      kv = isKv ? KvLayout.of(generation) : null;
      dynamoDb = null;
      document = false;
      safeKeyBytes = isKv ? (SAFE_KV_BYTES - fieldTexts) / 2 : Integer.MAX_VALUE;
      safeValueBytes = Integer.MAX_VALUE;
    }
  }

  /**
   * Whether DynamoDB takes any values that are short enough; numbers are keys of documents only.
   */
  private boolean isBounded(ViewFields fields) {
    return fields.values().stream().allMatch(field -> isBounded(field.schema()))
        && !(document && fields.key().stream().anyMatch(field -> isInexact(field.type())));
  }

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
    int bytes = row.keyBody().length + row.valueBody().length;
    if (bytes > maxRowBytes) {
      throw new DerivationException(
          "a row takes %d bytes, the limit is %d; include fewer fields"
              .formatted(bytes, maxRowBytes));
    }
    if (!isSafe(row)) {
      layOut(row);
    }
  }

  /** Whether the target takes the row whatever it holds. */
  boolean isSafe(ViewRow row) {
    return row.keyBody().length <= safeKeyBytes
        && row.valueBody().length <= safeValueBytes
        && !(document && mayHoldNoText(row.keyBody()))
        && !(kv != null && mayBeLargeObject(row.keyBody()));
  }

  /** The primary key is what a key ends in. */
  private static boolean mayBeLargeObject(byte[] key) {
    int from = key.length - LARGE_OBJECT.length;
    return from >= 0 && Arrays.equals(key, from, key.length, LARGE_OBJECT, 0, LARGE_OBJECT.length);
  }

  /** The keys of documents are their fields as they are: empty text, a zero in Avro, is refused. */
  private static boolean mayHoldNoText(byte[] key) {
    for (byte one : key) {
      if (one == 0) {
        return true;
      }
    }
    return false;
  }

  private void layOut(ViewRow row) throws DerivationException {
    GenericRecord key = view.keyOf(row);
    try {
      if (kv != null) {
        KvLayout.requireWritable(kv.path(key::get));
      } else {
        dynamoDb.item(key::get, view.valueOf(row, 0)::get, 0);
      }
    } catch (LayoutException e) {
      throw new DerivationException(e.getMessage(), e);
    }
  }
}
