package io.indexview.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.indexview.cli.Cli;
import io.indexview.cli.api.ExitCodes;
import io.indexview.client.token.FreshnessToken;
import io.indexview.demo.LocalCommand.ShippedPipeline;
import io.indexview.demo.guide.PeopleOfOrg;
import io.indexview.demo.guide.PutPerson;
import io.indexview.kvstore.KvStore;
import io.indexview.local.LocalStack;
import io.indexview.local.StackConfig;
import io.indexview.local.pipeline.AppLauncher;
import io.indexview.local.pipeline.Pipeline;
import io.indexview.local.pipeline.PipelineSpec;
import io.indexview.streams.config.AppConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/** The commands as they are used on a local stack, over HTTP, which they find by its directory. */
@Timeout(600)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class CommandLineIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(3);
  private static final String DROPPED = "walk";
  private static final String PERSON =
      """
      {"name": "%s", "email": "a@example.com", "phone": "555", "date": "2017-08-20", "org": "%s", "cost": %d}
      """;

  @TempDir private static Path directory;

  private static LocalStack stack;

  @BeforeAll
  static void start() throws Exception {
    stack =
        LocalStack.start(
            StackConfig.builder().build().withDataDirectory(directory.resolve("data")));
    PipelineSpec spec = ShippedPipeline.of(stack.dataDirectory());
    Pipeline.deploy(stack, spec, CommandLineIT::launch, line -> {});
    LocalServer.start(stack, spec);
    succeeds("views", "wait", "people-by-org", "file-metadata", "--timeout", "5m");
    succeeds("query", "people-by-org", "org=Walk");
  }

  /** Long enough for a rollback on a slow machine; what is dropped goes after it, too. */
  private static AutoCloseable launch(Map<String, String> config) throws Exception {
    Map<String, String> longGrace = new HashMap<>(config);
    longGrace.put(AppConfig.GENERATION_GRACE_CONFIG, "15000");
    return AppLauncher.inProcess().launch(longGrace);
  }

  @AfterAll
  static void stop() {
    stack.close();
  }

  private static Cli.Run run(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--data=" + stack.dataDirectory());
    return Cli.execute(all.toArray(String[]::new));
  }

  private static String succeeds(String... arguments) {
    Cli.Run run = run(arguments);
    assertThat(run.exitCode()).as("%s: %s", List.of(arguments), run.err()).isZero();
    return run.out();
  }

  private static JsonNode json(String... arguments) throws IOException {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--output=json");
    return JsonMapper.builder().build().readTree(succeeds(all.toArray(String[]::new)));
  }

  private static void fails(int exitCode, String message, String... arguments) {
    Cli.Run run = run(arguments);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(exitCode);
    assertThat(run.err()).contains(message).doesNotContain("Exception", "java.");
    assertThat(run.err().lines()).hasSizeLessThan(20);
  }

  private static String key(String id) {
    return "/Corporate/people/" + id;
  }

  /** The token of the write. */
  private static String put(String id, String org, int cost) throws IOException {
    return json("records", "put", "people", key(id), PERSON.formatted(id, org, cost))
        .path("token")
        .asText();
  }

  private static String file(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text).toString();
  }

  private static String byCost(String view, String key) throws IOException {
    return file(
        view + ".yaml",
        "name: %s\nsource: people\nkey: %s\nshardKey: 1\ntarget: kv\n".formatted(view, key));
  }

  @Test
  void writesReadsAndRemovesARecordAndItsRow() throws IOException {
    JsonNode created =
        json(
            "records",
            "put",
            "people",
            key("1"),
            PERSON.formatted("Ann", "Walk", 1),
            "--if-absent");
    String version = created.path("version").asText();
    assertThat(succeeds(atLeast(token(created), "query", "people-by-org", "org=Walk")))
        .contains(key("1"));
    assertThat(succeeds("records", "get", "people", key("1"))).contains("name: Ann", version);
    fails(
        ExitCodes.FAILED,
        key("1"),
        "records",
        "put",
        "people",
        key("1"),
        PERSON.formatted("Ann", "Walk", 1),
        "--if-absent");

    JsonNode moved =
        json(
            "records",
            "put",
            "people",
            key("1"),
            PERSON.formatted("Ann", "Run", 2),
            "--if-version",
            version);
    assertThat(succeeds(atLeast(token(moved), "query", "people-by-org", "org=Run")))
        .contains(key("1"));
    assertThat(run("query", "people-by-org", "org=Walk").err()).contains("0 rows");
    fails(
        ExitCodes.FAILED,
        version,
        "records",
        "delete",
        "people",
        key("1"),
        "--if-version",
        version);

    JsonNode removed = json("records", "delete", "people", key("1"));
    Cli.Run gone = run(atLeast(token(removed), "query", "people-by-org", "org=Run"));
    assertThat(gone.err()).contains("0 rows");
    fails(ExitCodes.NOT_FOUND, key("1"), "records", "get", "people", key("1"));
    fails(ExitCodes.NOT_FOUND, key("1"), "records", "delete", "people", key("1"));
  }

  @Test
  void runsTheProgramsOfTheGuides() {
    FreshnessToken token =
        PutPerson.put(stack.kvStoreUri(), stack.bootstrapServers(), stack.registryUrl().toString());
    succeeds(atLeast(token.toString(), "query", "people-by-org", "org=Support"));

    try (KvStore store = stack.openKvStore()) {
      assertThat(PeopleOfOrg.keys(store, "Support")).containsExactly(key("10012"));
    }
  }

  private static String token(JsonNode written) {
    return written.path("token").asText();
  }

  /** A query that waits for a write as long as it may: the sink may just share its work anew. */
  private static String[] atLeast(String token, String... query) {
    List<String> all = new ArrayList<>(List.of(query));
    all.addAll(List.of("--at-least", token, "--timeout=60s"));
    return all.toArray(String[]::new);
  }

  @Test
  void readsRowsInEveryWay() throws Exception {
    String view = "people-by-org-and-cost";
    succeeds("views", "apply", "-f", byCost(view, "[org, cost]"), "--wait");
    assertThat(run("query", view, "org=Query").err()).contains("0 rows");
    put("11", "Query", 100);
    put("12", "Query", 200);
    put("13", "Query", 300);
    String token = put("14", "Quest", 400);
    // Others of the four partitions may be behind this one.
    for (String id : List.of("11", "12", "13")) {
      succeeds(atLeast(put(id, "Query", 100 * (id.charAt(1) - '0')), "query", view, "--limit=1"));
    }

    assertThat(keys("query", view, "org=Query")).containsExactly(key("11"), key("12"), key("13"));
    assertThat(keys("query", view, "org=Query", "cost=200")).containsExactly(key("12"));
    assertThat(keys("query", view, "org=Query", "--from=150", "--desc"))
        .containsExactly(key("13"), key("12"));
    assertThat(keys("query", view, "org=Query", "--from=150", "--to=200"))
        .containsExactly(key("12"));
    assertThat(keys(atLeast(token, "query", view, "--prefix=Que")))
        .containsExactly(key("11"), key("12"), key("13"), key("14"));
    assertThat(keys("query", view, "org=Query", "--consistency=eventual", "--stale")).hasSize(3);

    JsonNode page = json("query", view, "org=Query", "--limit=2", "--fetch", "--wait=10s");
    assertThat(page.at("/rows/0/record/name").asText()).isEqualTo("11");
    String next = page.path("next").asText();
    assertThat(keys("query", view, "org=Query", "--fetch", "--page", next))
        .containsExactly(key("13"));
    assertThat(succeeds("query", view, "org=Query", "--limit=1", "--all"))
        .contains(key("11"), key("12"), key("13"));
    assertThat(succeeds("query", view, "org=Query", "-o", "yaml")).contains("state: READY");
    fails(ExitCodes.USAGE, "another query", "query", view, "org=Quest", "--page", next);
    fails(ExitCodes.USAGE, "changed on its way", "query", view, "org=Query", "--page", "A" + next);
  }

  private static List<String> keys(String... query) throws IOException {
    List<String> keys = new ArrayList<>();
    json(query).path("rows").forEach(row -> keys.add(row.path("primaryKey").asText()));
    return keys;
  }

  @Test
  @Order(1)
  void takesAViewThroughItsLifeAndDropsIt() throws Exception {
    String view = DROPPED;
    String first = byCost(view, "[org]");
    assertThat(succeeds("views", "diff", "-f", first)).contains("walk is new");
    succeeds("views", "apply", "--dry-run", "-f", first);
    fails(ExitCodes.NOT_FOUND, view, "views", "show", view);
    succeeds("views", "apply", "--if-absent", "-f", first, "--wait=3m");
    assertThat(succeeds("views", "list")).containsPattern("walk +READY +1 ");
    assertThat(succeeds("status")).contains("people", "walk");
    assertThat(succeeds("views", "diff", "-f", first)).contains("nothing");
    long version = json("views", "show", view).path("version").asLong();

    String second = byCost(view, "[org, name]");
    assertThat(succeeds("views", "diff", "-f", second)).contains("key: [\"org\"] -> [\"org\"");
    fails(ExitCodes.FAILED, "" + version, "views", "apply", "--if-version=1", "-f", second);
    succeeds("views", "apply", "--if-version=" + version, "-f", second, "--wait=3m");
    assertThat(json("views", "show", view).path("servingGeneration").asInt()).isEqualTo(2);

    assertThat(succeeds("views", "rollback", view, "--wait=3m")).contains("build 0");
    JsonNode back = json("views", "show", view);
    assertThat(back.path("servingGeneration").asInt()).isEqualTo(1);
    assertThat(back.at("/definition/key")).hasSize(1);

    assertThat(succeeds("views", "rebuild", view, "--wait=3m")).contains("from state");
    assertThat(json("views", "show", view).path("servingGeneration").asInt()).isEqualTo(3);

    succeeds("views", "drop", view);
    fails(ExitCodes.NOT_FOUND, "is being deleted", "views", "wait", view);
    fails(ExitCodes.NOT_FOUND, view, "views", "drop", view);
  }

  /** Which takes its time after the drop; the others need not wait for it. */
  @Test
  @Order(Integer.MAX_VALUE)
  void forgetsTheViewThatWasDropped() {
    await(DROPPED + " to be gone", () -> isNotFound("views", "show", DROPPED));
    await("its metadata to be gone", () -> isNotFound("query", DROPPED, "org=Query"));
    fails(ExitCodes.NOT_FOUND, DROPPED, "query", DROPPED, "org=Query");
  }

  private static boolean isNotFound(String... arguments) {
    return run(arguments).exitCode() == ExitCodes.NOT_FOUND;
  }

  /** A command costs much more than what it asks the server for. */
  private static void await(String what, Callable<Boolean> condition) {
    Awaitility.await(what)
        .atMost(TIMEOUT)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(250))
        .until(condition);
  }

  private static void upload(S3Client s3, String key, String text) {
    s3.putObject(
        request -> request.bucket(StackConfig.DEFAULT_BUCKET).key(key),
        RequestBody.fromString(text));
  }

  @Test
  void findsAndFetchesFiles() throws Exception {
    String object = "USER017_notes/walk me.txt";
    String larger = "USER017_notes/run.txt";
    try (S3Client s3 = stack.openS3()) {
      upload(s3, object, "hello");
      upload(s3, larger, "hello, hello");
    }
    for (String key : List.of(object, larger)) {
      await(key, () -> !json("files", "search", "--key", key).path("rows").isEmpty());
    }

    assertThat(keys("files", "search", "--user", "USER017")).hasSize(2);
    String date =
        json("files", "search", "--user", "USER017").at("/rows/0/values/uploadDate").asText();
    assertThat(keys("files", "search", "--user", "USER017", "--date", date)).hasSize(2);
    assertThat(keys("files", "search", "--user", "USER017", "--date", "2001-01-01")).isEmpty();
    String bucket = StackConfig.DEFAULT_BUCKET;
    assertThat(keys("files", "search", "--bucket", bucket))
        .containsExactly(bucket + "/" + larger, bucket + "/" + object);
    String pages = succeeds("files", "search", "--bucket", bucket, "--limit=1", "--all");
    assertThat(pages).containsSubsequence(larger, object);
    Path copy = directory.resolve("copy.txt");
    succeeds("files", "get", object, "--to", copy.toString());
    assertThat(copy).hasContent("hello");
    fails(ExitCodes.USAGE, "--force", "files", "get", object, "--to", copy.toString());
    succeeds("files", "get", object, "--to", copy.toString(), "--force");
    fails(ExitCodes.NOT_FOUND, "nothing.txt", "files", "get", "nothing.txt");
    fails(
        ExitCodes.NOT_FOUND,
        "nowhere",
        "files",
        "get",
        object,
        "--bucket=nowhere",
        "--force",
        "--to",
        copy.toString());
  }

  @Test
  void carriesSeveralChangesAtOnceToTheViews() throws Exception {
    String mail = key("41") + "/-/mail";
    String operation = "{\"op\": \"put\", \"key\": \"%s\", \"value\": {\"org\": \"Several\"}}";
    JsonNode written =
        json(
            "records",
            "execute",
            "people",
            "[%s, %s]".formatted(operation.formatted(key("41")), operation.formatted(mail)));
    for (JsonNode result : written.path("results")) {
      succeeds(atLeast(token(result), "query", "people-by-org", "org=Several"));
    }
    assertThat(keys("query", "people-by-org", "org=Several"))
        .containsExactlyInAnyOrder(key("41"), mail);
    assertThat(succeeds("records", "list", "people", key("41"))).contains(mail, "Several");

    JsonNode removal = json("records", "multi-delete", "people", key("41"), "--yes");
    assertThat(removal.path("atomic").asBoolean()).isTrue();
    for (JsonNode removed : removal.path("removed")) {
      succeeds(atLeast(token(removed), "query", "people-by-org", "org=Several"));
    }
    assertThat(keys("query", "people-by-org", "org=Several")).isEmpty();
  }

  /** Leaves no file behind: another test knows what is in the bucket. */
  @Test
  void findsFilesByUserMetadataThatItWrote() throws Exception {
    String view = "files-by-project";
    String definition =
        file(
            view + ".yaml",
            "name: %s\nsource: files\nkey: [userMetadata.project]\ntarget: kv\n".formatted(view));
    succeeds("views", "apply", "-f", definition, "--wait=3m");
    String object = "USER018_plan.txt";
    String plan = file("plan.txt", "fly");

    succeeds("files", "put", plan, object, "--metadata", "project=apollo");
    await(object, () -> !keys("query", view, "userMetadata.project=apollo").isEmpty());
    assertThat(succeeds("files", "list", "USER018")).contains(object);
    succeeds("files", "delete", object);
    await("its removal", () -> keys("files", "search", "--key", object).isEmpty());
    await("its removal", () -> keys("query", view, "userMetadata.project=apollo").isEmpty());
    assertThat(succeeds("files", "list", "USER018")).doesNotContain(object);
  }

  @ParameterizedTest
  @CsvSource({
    "4, people-by-org, query nowhere org=A",
    "2, these are org, query people-by-org orq=A",
    "2, FIELD=VALUE, query people-by-org org",
    "2, given twice, query people-by-org org=A org=B",
    "2, mutually exclusive, query people-by-org --all --page=x",
    "2, use 1 to 1000, query people-by-org --limit=0",
    "2, start over without it, query people-by-org --page=x",
    "2, use what a write returned, query people-by-org --at-least=x",
    "2, whose topic is indexview.changes.people, query people-by-org"
        + " --at-least=v1~indexview.changes.files~0~0",
    "2, is not to be found, query people-by-org --at-least=v1~indexview.changes.people~0~99999"
        + " --timeout=1s",
    "2, no indexes, query people-by-org --index=by-name",
    "2, no field is left, query people-by-org org=A --from=B",
    "4, people-by-org, views show nowhere",
    "1, no generation to roll back to, views rollback people-by-org",
    "1, version, views rebuild people-by-org --if-version=1",
    "2, STATE, views rebuild people-by-org --from=moon",
    "2, there is no file, views apply -f nowhere.yaml",
    "4, people, records get nowhere /Corporate/people/1",
    "2, /Corporate/people, records get people /World/airport/1",
    "1, not written through this server, records get files /Corporate/people/1",
    "2, airportId: is missing, records put airports /World/airport/1 {}",
    "2, use a key that begins with, records list people /Corporate",
    "2, say so with --yes, records multi-delete people /Corporate/people/1",
    "2, write FIELD, query people-by-org =",
    "2, Unknown option, views list --colour",
    "5, is it running?, views list --server=http://127.0.0.1:1",
    "2, is no server, views list --server=nonsense"
  })
  void refusesWrongInput(int exitCode, String message, String line) {
    fails(exitCode, message, line.split(" "));
  }

  @Test
  void tellsEverythingThatIsWrongWithADefinition() throws IOException {
    String bad =
        file(
            "bad.yaml",
            "name: Bad Name\nsource: people\nkey: [orq, org, org]\nnulls: maybe\ntarget: mars\n");

    for (String problem :
        List.of("bad.yaml", "name", "key[0] \"orq\"", "key[2]", "nulls", "target")) {
      fails(ExitCodes.USAGE, problem, "views", "apply", "-f", bad);
    }
    fails(
        ExitCodes.USAGE,
        "neither JSON nor YAML",
        "views",
        "diff",
        "-f",
        file("broken.yaml", "name: ["));
    fails(
        ExitCodes.USAGE,
        "neither JSON nor YAML",
        "views",
        "diff",
        "-f",
        file("broken.json", "{\"name\": "));
  }
}
