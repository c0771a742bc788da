package io.indexview.connect.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.dynamodbv2.local.embedded.DynamoDBEmbedded;
import com.amazonaws.services.dynamodbv2.local.shared.access.AmazonDynamoDBLocal;
import io.indexview.dynamodb.DynamoDbItemStore;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.dynamodb.TableSpec;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.views.layout.ItemSize;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** What is refused before it is sent must be what the store refuses. */
class ItemSizePropertyIT {
  private static final boolean DISABLE_TELEMETRY = true;
  private static final String TABLE = "items";
  private static final int LIMIT = 400 * 1024;

  private static AmazonDynamoDBLocal local;
  private static ItemStore store;

  @BeforeContainer
  static void startStore() {
    local = DynamoDBEmbedded.create(DISABLE_TELEMETRY);
    store = DynamoDbItemStore.over(local.dynamoDbAsyncClient());
    store.ensureTable(
        new TableSpec(
            TABLE, new TableSpec.Key("id", TableSpec.KeyType.STRING), null, List.of(), null),
        Duration.ofSeconds(20));
  }

  @AfterContainer
  static void stopStore() {
    store.close();
    local.shutdown();
  }

  @Property(tries = 25)
  void isTooLargeForTheStoreIfTooLargeByTheRule(@ForAll(supplier = Seeds.class) long seed) {
    Random random = new Random(seed);
    Map<String, Object> item = new HashMap<>(Map.of("id", "a", "pad", ""));
    for (int i = 0; i < 5; i++) {
      item.put("attribute" + i, value(random, 3));
    }
    int pad = LIMIT + 1 - (int) ItemSize.of(item);
    item.put("pad", "x".repeat(pad));

    assertThat(ItemSize.of(item)).isEqualTo(LIMIT + 1);
    assertThat(isTaken(item)).as(item.toString()).isFalse();
  }

  /** There is nothing approximate in these. */
  @Property(tries = 10)
  void isTakenByTheStoreUpToTheLimitIfItHasNoNumbers(@ForAll(supplier = Seeds.class) long seed) {
    Random random = new Random(seed);
    Map<String, Object> item = new HashMap<>(Map.of("id", "a", "pad", "", "flag", true));
    for (int i = 0; i < 5; i++) {
      item.put("attribute" + i, random.nextBoolean() ? text(random) : new byte[random.nextInt(99)]);
    }
    item.put("pad", "x".repeat(LIMIT - (int) ItemSize.of(item)));

    assertThat(isTaken(item)).as(item.toString()).isTrue();
  }

  private static boolean isTaken(Map<String, Object> item) {
    try {
      ItemStore.await(store.put(TABLE, item));
      return true;
    } catch (ItemStoreException.Rejected e) {
      assertThat(e).hasMessageContaining("size");
      return false;
    }
  }

  private static Object value(Random random, int depth) {
    return switch (random.nextInt(depth == 0 ? 4 : 6)) {
      case 0 -> text(random);
      case 1 -> number(random);
      case 2 -> random.nextBoolean();
      case 3 -> new byte[random.nextInt(50)];
      case 4 -> {
        List<Object> list = new ArrayList<>();
        for (int i = random.nextInt(20); i > 0; i--) {
          list.add(value(random, depth - 1));
        }
        yield list;
      }
      default -> {
        Map<String, Object> map = new HashMap<>();
        for (int i = random.nextInt(20); i > 0; i--) {
          map.put("k" + i, value(random, depth - 1));
        }
        yield map;
      }
    };
  }

  private static Object number(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> (long) random.nextInt(1_000) - 500;
      case 1 -> random.nextLong();
      case 2 -> random.nextInt(100) * Math.pow(10, random.nextInt(200) - 100);
      default -> new BigDecimal(new BigInteger(100, random), random.nextInt(60) - 30);
    };
  }

  private static String text(Random random) {
    return "aä€".repeat(random.nextInt(20)) + random.nextInt();
  }
}
