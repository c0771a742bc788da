package io.indexview.views.derive;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.views.Samples;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.DynamoDbLayout;
import io.indexview.views.layout.LayoutException;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;

/** A view gives just those rows that its target takes, though it does not lay out each. */
class RowLimitsPropertyTest {
  private static final List<CompiledView> VIEWS =
      List.of(
          view("kind: document\nkey: [objectKey]\ninclude: [size, uploadUser]"),
          view(
              "kind: document\nkey: [objectKey]\ninclude: [uploadUser, uploadTime, public]\n"
                  + "indexes: [{name: abc, partitionKey: uploadUser, sortKey: uploadTime}]"),
          view("kind: document\ninclude: [bucketName, userMetadata]"),
          view("kind: document\ninclude: [ratio]"),
          view("key: [bucketName, objectKey]\nshardKey: 1\ninclude: [uploadUser, size]"),
          view("key: [bucketName, uploadUser]\nnulls: index\ninclude: [userMetadata]"));

  private static CompiledView view(String yaml) {
    ViewGeneration generation =
        Samples.freeze(Samples.FILES, yaml + "\ntarget: dynamodb\ntable: abc");
    return CompiledView.compile(generation, Samples.FILES.schema());
  }

  @Property(tries = 700)
  void givesTheRowsThatTheTargetTakes(@ForAll(supplier = Seeds.class) long seed) {
    Random random = new Random(seed);
    GenericRecord file =
        new GenericRecordBuilder(Samples.FILES.schema())
            .set("objectKey", text(random))
            .set("bucketName", text(random))
            .set("uploadUser", random.nextBoolean() ? null : text(random))
            .set("size", random.nextBoolean() ? null : random.nextLong())
            .set("ratio", random.nextInt(4) == 0 ? Float.NaN : random.nextFloat())
            .set("uploadTime", random.nextLong())
            .build();
    String primaryKey = text(random);
    for (CompiledView view : VIEWS) {
      assertThat(isGiven(view, file, primaryKey))
          .as("%s of %s", view.generation().definition(), file)
          .isEqualTo(isTaken(view, file, primaryKey));
    }
  }

  private static boolean isGiven(CompiledView view, GenericRecord file, String primaryKey) {
    try {
      view.rows(file, primaryKey);
      return true;
    } catch (DerivationException e) {
      return false;
    }
  }

  /** Lays the row out from what the encoder wrote, unchecked. */
  private static boolean isTaken(CompiledView view, GenericRecord file, String primaryKey) {
    RowEncoder encoder = new RowEncoder(view.generation().fields(), Samples.FILES.schema());
    try {
      byte[] key = encoder.key(file, null, primaryKey);
      if (key != null) {
        ViewRow row = new ViewRow(key, encoder.value(file));
        DynamoDbLayout.of(view.generation())
            .item(view.keyOf(row)::get, view.valueOf(row, 1)::get, 1);
      }
      return true;
    } catch (DerivationException | LayoutException e) {
      return false;
    }
  }

  private static String text(Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> "";
      case 1 -> "a\u0000b\t";
      case 2 -> "\n".repeat(random.nextInt(1200));
      case 3 -> "ä".repeat(random.nextInt(1200));
      default -> "x".repeat(random.nextInt(2100));
    };
  }
}
