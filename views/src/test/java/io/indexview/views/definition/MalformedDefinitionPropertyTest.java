package io.indexview.views.definition;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.Bounded;
import io.indexview.schemas.fixtures.Mutator;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.views.Samples;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Whatever is given for a definition: it is one, or its author is told what is wrong. */
class MalformedDefinitionPropertyTest {
  /** Of texts of up to 200,000 characters. */
  private static final long MAX_BYTES = 256L << 20;

  private static final String JSON =
      """
      {"name": "by-org", "source": "people", "kind": "index", "key": ["org", "tags"], "shardKey": ["org"],
       "include": ["email", "address.city"], "where": "cost > 5 && org.startsWith('S')", "nulls": "index",
       "naming": "hash", "maxRowsPerRecord": 10, "target": "kv", "layout": "key-value",
       "primaryKeyForm": "components", "prefix": "I", "metaPrefix": "M"}
      """;

  private static final String YAML =
      """
      name: by-org
      source: people
      key: [org, address.city]
      shardKey: 1
      include:
        - email
        - cost
      where: "size(tags) > 1 || (cost in [1, 2] && !(org == null))"
      target: dynamodb
      table: by-org
      indexes:
        - name: by-email
          partitionKey: email
          sortKey: cost
      swap: in-place
      """;

  private final ViewDefinitionParser parser = new ViewDefinitionParser();

  @Property(tries = 120)
  void isADefinitionOrSaysWhatIsWrong(@ForAll(supplier = Seeds.class) long seed) throws Exception {
    Random random = new Random(seed);
    String text = new Mutator(random).text(JSON, YAML);
    String origin = random.nextBoolean() ? "request" : "view.yaml";

    try {
      assertThat(Bounded.read(MAX_BYTES, () -> parsed(origin, text))).isNotNull();
    } catch (InvalidViewException e) {
      assertThat(e.problems())
          .isNotEmpty()
          .allSatisfy(problem -> assertThat(problem.message()).isNotBlank());
    }
  }

  private ViewDefinition parsed(String origin, String text) {
    return parser
        .parseAll(Map.of(origin, text), Map.of(Samples.PEOPLE.name(), Samples.PEOPLE))
        .get(0);
  }

  /** As parts of Indexview hand them to one another. */
  @Property(tries = 500)
  void isAGenerationOrNamesWhatIsWrong(@ForAll(supplier = Seeds.class) long seed) throws Exception {
    String text =
        new Mutator(new Random(seed)).text(Samples.people("key: [org]\ntarget: kv\n").toJson());

    try {
      assertThat(Bounded.read(MAX_BYTES, () -> ViewGeneration.fromJson(text))).isNotNull();
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageStartingWith("view generation: ");
    }
  }
}
