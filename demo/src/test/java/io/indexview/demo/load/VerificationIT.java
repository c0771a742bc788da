package io.indexview.demo.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.indexview.client.admin.NotVerifiableException;
import io.indexview.client.write.Writer;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.local.PartName;
import io.indexview.local.pipeline.AppLauncher;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.VerificationOptions;
import io.indexview.schemas.control.VerificationOptions.Limits;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.schemas.control.ViewVerification;
import io.indexview.schemas.control.ViewVerification.Case;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.schemas.control.ViewVerification.SourceScan;
import io.indexview.schemas.control.ViewVerification.Status;
import io.indexview.verification.DynamoDbRows;
import io.indexview.verification.KvRows;
import io.indexview.verification.TargetReader;
import io.indexview.verification.live.RowLog;
import io.indexview.verification.live.VerificationAdmin;
import io.indexview.verification.live.VerificationLog;
import io.indexview.verification.live.VerificationWorker;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewGeneration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.apache.avro.generic.GenericRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * While half of the orders change all the time, somebody else deletes, plants, alters and exchanges
 * rows of the other half in the targets. Verification finds exactly these.
 */
@Timeout(value = 6, unit = TimeUnit.HOURS)
@TestInstance(Lifecycle.PER_CLASS)
class VerificationIT {
  private static final int RECORDS = Integer.getInteger("verification.records", 2_000);
  private static final int RATE = Integer.getInteger("verification.rate", 20);
  private static final int ROUNDS = Integer.getInteger("verification.rounds", 1);
  private static final int SEED = Integer.getInteger("verification.seed", 7);

  /** Orders that have a row in DynamoDB, about: no more than its emulator keeps up with. */
  private static final int ITEMS = Math.min(RECORDS, Math.max(2_000, RECORDS / 20));

  /** They are below this amount. */
  static final long FILTERED = Orders.AMOUNTS * ITEMS / RECORDS;

  /** Items that DynamoDB is asked for at once. */
  private static final int PAGE = 500;

  private static final int NOBODIES = ROUNDS * Tampering.FAULTS;
  private static final Duration TIMEOUT = Duration.ofMinutes(ROUNDS > 1 ? 20 : 3);
  private static final VerificationOptions REPAIR =
      new VerificationOptions(Limits.NONE, VerificationOptions.ALL, false, true, true);
  private static final VerificationOptions WITH_SOURCE =
      new VerificationOptions(Limits.NONE, VerificationOptions.ALL, true, false, false);
  private static final String KV = "orders-by-customer";
  private static final String KEY_ONLY = "orders-by-amount";
  private static final String LIST = "orders-by-note";
  private static final String DYNAMODB = "orders-by-day";
  private static final String[] DEFINITIONS = {
    """
          {"name": "orders-by-customer", "source": "orders", "key": ["customer"],
           "include": ["stamp", "day"], "target": "kv", "layout": "key-value"}
          """,
    """
          {"name": "orders-by-amount", "source": "orders", "key": ["amount"], "target": "kv"}
          """,
    """
          {"name": "orders-by-note", "source": "orders", "key": ["customer", "day"],
           "include": ["amount"], "target": "kv", "layout": "list"}
          """,
    """
          {"name": "orders-by-day", "source": "orders", "key": ["day", "customer"],
           "include": ["amount"], "where": "amount < %d",
           "target": "dynamodb", "table": "orders-by-day"}
          """
        .formatted(FILTERED)
  };

  private final SplittableRandom random = new SplittableRandom(SEED);
  private Shop shop;
  private ItemStore items;
  private VerificationLog log;
  private VerificationAdmin verifications;
  private Writer writer;
  private Path rows;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    rows = directory.resolve("rows");
    shop = Shop.open(directory, Shop.BOTH_TARGETS, AppLauncher.inProcess(), DEFINITIONS);
    items = shop.keep(shop.stack().openItemStore());
    log =
        shop.keep(
            VerificationLog.connect(shop.kafka(), shop.stack().config().topics(), shop.registry()));
    verifications =
        new VerificationAdmin(
            log,
            shop.admin()::serving,
            generation -> rows(generation).orElseThrow(),
            Clock.systemUTC());
    writer = shop.keep(shop.writer());
    for (int number = 0; number < RECORDS; number++) {
      GenericRecord order = Orders.random(random);
      if (number >= RECORDS / 2) {
        // In lists that no order comes to later.
        order.put("customer", "resting-" + number % (RECORDS * 3 / 20));
      }
      writer.put(Orders.key(number), order);
    }
    writer.flush();
    for (String view : List.of(KV, KEY_ONLY, LIST, DYNAMODB)) {
      shop.awaitReady(view, TIMEOUT);
    }
    shop.pipeline().settle(TIMEOUT);
  }

  @AfterAll
  void stop() throws Exception {
    if (shop != null) {
      shop.close();
    }
  }

  private Optional<TargetReader> rows(ViewGeneration generation) {
    return switch (generation.definition().target().type()) {
      case Target.Kv.TYPE -> Optional.of(new KvRows(shop.store(), generation));
      case Target.DynamoDb.TYPE -> Optional.of(new DynamoDbRows(items, generation));
      default -> Optional.empty();
    };
  }

  private VerificationWorker worker() {
    return worker(this::rows);
  }

  private VerificationWorker worker(Function<ViewGeneration, Optional<TargetReader>> targets) {
    return VerificationWorker.start(
        log, shop.kafka(), new VerificationWorker.Settings(rows, 1 << 20), shop.admin(), targets);
  }

  @Test
  void findsExactlyWhatSomebodyElseWroteWhileOrdersChange() throws Exception {
    try (VerificationWorker worker = worker();
        SteadyLoad load = SteadyLoad.start(writer, RECORDS / 2, RATE)) {
      assertThat(load).isNotNull();
      assertThat(worker).isNotNull();
      for (int round = 0; round < ROUNDS; round++) {
        findsAndRepairsExactlyWhatIsWrong(List.of(KV, KEY_ONLY, LIST, DYNAMODB), round);
      }
    }
    assertThat(rows)
        .satisfiesAnyOf(
            path -> assertThat(path).doesNotExist(), path -> assertThat(path).isEmptyDirectory());

    // Rows were planted for some that there were not, of later revisions than these come to.
    for (int number = RECORDS; number < RECORDS + NOBODIES; number++) {
      writer.put(Orders.key(number), Orders.random(random));
    }
    writer.flush();
    shop.pipeline().settle(TIMEOUT);
    for (String view : List.of(KV, KEY_ONLY, LIST)) {
      assertThat(shop.verify(view).exact()).as(view).isTrue();
    }
    isRightAfterARebuild();
  }

  /** All at the same time, as a worker takes them. */
  private void findsAndRepairsExactlyWhatIsWrong(List<String> views, int round) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(views.size());
    try {
      List<Future<?>> runs = new ArrayList<>();
      for (String view : views) {
        ViewGeneration generation = shop.serving(view);
        Tampering tampering =
            new Tampering(
                generation,
                rows(generation).orElseThrow(),
                shop.store(),
                items,
                RECORDS,
                random.split());
        runs.add(
            threads.submit(
                () -> {
                  findsAndRepairsExactlyWhatIsWrong(view, tampering, round);
                  return null;
                }));
      }
      restartSomething(round);
      for (Future<?> run : runs) {
        run.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Meanwhile; nothing in the first round, which every build runs. */
  private void restartSomething(int round) throws Exception {
    if (round % 3 == 1) {
      shop.pipeline().app().close();
      shop.pipeline().startApp();
    } else if (round % 3 == 2) {
      shop.stack().restart(PartName.CONNECT);
    }
  }

  private void findsAndRepairsExactlyWhatIsWrong(String view, Tampering tampering, int round)
      throws Exception {
    String name = "%s, round %d of seed %d".formatted(view, round, SEED);
    ViewVerification before = verify(view);
    assertThat(before.run().cases()).as(name).isEmpty();
    assertThat(before.run().counts().right())
        .as(name)
        .isGreaterThan((view.equals(DYNAMODB) ? ITEMS : RECORDS) / 2);

    Map<Kind, Set<String>> faults = tampering.tamper(round);
    ViewVerification found = verify(view);

    assertThat(byKind(found)).as(name).isEqualTo(faults);
    long unexpected = found.run().counts().unexpected().total();
    assertThat(unexpected).as(name).isEqualTo(tampering.unexpected().size());
    long expired = tampering.expired();
    assertThat(found.run().counts().tombstones().expired()).as(name).isEqualTo(expired);
    long wrong = faults.values().stream().mapToInt(Set::size).sum() - unexpected - expired;
    assertThat(found.run().counts().wrong()).as(name).isEqualTo(wrong);
    awaitState(view, State.DEGRADED, found.id());

    ViewVerification repaired = verify(view, REPAIR);
    assertThat(byKind(repaired)).as(name).isEqualTo(faults);
    assertThat(repaired.run().cases()).as(name).allMatch(Case::repaired);
    assertThat(repaired.run().counts().repaired()).as(name).isEqualTo(wrong);
    assertThat(repaired.run().counts().unexpected().removed()).as(name).isEqualTo(unexpected);
    assertThat(repaired.run().counts().tombstones().removed()).as(name).isEqualTo(expired);
    awaitState(view, State.READY, "");

    assertThat(verify(view).run().cases()).as(name).isEmpty();
    awaitState(view, State.READY, "");
  }

  private void awaitState(String view, State state, String reason) {
    Awaitility.await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> {
              ViewState shown = shop.admin().serving(view).state();
              assertThat(shown.state()).as(shown.reason()).isEqualTo(state);
              assertThat(shown.reason()).contains(reason);
            });
  }

  private void isRightAfterARebuild() throws Exception {
    writer.flush();
    shop.admin().rebuild(KV, BuildMode.STATE, OptionalLong.empty());
    shop.awaitReady(KV, TIMEOUT);
    shop.pipeline().settle(TIMEOUT);
    try (VerificationWorker worker = worker()) {
      assertThat(worker).isNotNull();
      ViewVerification after = verify(KV, WITH_SOURCE);
      assertThat(after.run().sources()).as("nobody scans by himself for hours").hasSize(1);
      SourceScan scan = after.run().sources().get(0);
      assertThat(scan.startedAtMs()).isGreaterThanOrEqualTo(after.requestedAtMs());
      assertThat(scan.records()).isEqualTo(RECORDS + NOBODIES);
      assertThat(after.run().cases()).isEmpty();
      assertThat(after.run().generation()).isEqualTo(2);
      assertThat(after.run().counts().right()).isEqualTo(RECORDS + NOBODIES);
      assertThat(after.run().counts().unjudged()).isZero();
    }
    assertThat(shop.verify(KV).exact()).isTrue();
  }

  private ViewVerification verify(String view) {
    return verify(view, VerificationOptions.DEFAULT);
  }

  private ViewVerification verify(String view, VerificationOptions options) {
    String id = verifications.request(view, options).id();
    ViewVerification over = awaitOver(view, id);
    assertThat(over.status()).as(over.run().step()).isEqualTo(Status.DONE);
    return over;
  }

  private ViewVerification awaitOver(String view, String id) {
    return Awaitility.await()
        .atMost(TIMEOUT)
        .until(() -> verifications.get(view, id).orElseThrow(), one -> one.status().isOver());
  }

  private static Map<Kind, Set<String>> byKind(ViewVerification verification) {
    Map<Kind, Set<String>> found = new EnumMap<>(Kind.class);
    for (Case one : verification.run().cases()) {
      found.computeIfAbsent(one.kind(), kind -> new TreeSet<>()).add(one.key());
    }
    return found;
  }

  @Test
  void goesOnWithAnotherWorkerAndEndsWhenAsked() {
    VerificationOptions slow =
        new VerificationOptions(
            new Limits(RECORDS / 20, 0, 0), VerificationOptions.ALL, false, false, false);
    String id = verifications.request(LIST, slow).id();
    assertThatThrownBy(() -> verifications.request(LIST, slow))
        .isInstanceOf(NotVerifiableException.class)
        .hasMessageContaining(id);
    try (VerificationWorker first = worker()) {
      assertThat(first).isNotNull();
      awaitReading(LIST, id);
    }
    assertThat(verifications.get(LIST, id).orElseThrow().status()).isEqualTo(Status.REQUESTED);
    try (VerificationWorker second = worker()) {
      assertThat(second).isNotNull();
      awaitReading(LIST, id);

      isCancelled(LIST, id);
    }
  }

  private void isCancelled(String view, String id) {
    verifications.cancel(view, id);
    assertThat(awaitOver(view, id).status()).isEqualTo(Status.CANCELLED);
    Awaitility.await().atMost(TIMEOUT).until(() -> log.of(view).get(0).run().endedAtMs() > 0);
  }

  @Test
  void samplesTheTopicOfAView() {
    try (RowLog log = shop.rowLog(KV)) {
      assertThat(Set.copyOf(log.sample(log.ends(), 200)))
          .hasSizeBetween(50, 200 + 100)
          .allMatch(id -> id.startsWith("/"));
    }
  }

  @Test
  void goesOnWhereAKilledProcessWas() throws Exception {
    VerificationOptions slow =
        new VerificationOptions(
            new Limits(PAGE / 3, 0, 0), VerificationOptions.ALL, false, false, false);
    String id = verifications.request(DYNAMODB, slow).id();
    Process first = VerifierMain.start(shop.stack(), rows);
    try {
      Awaitility.await().atMost(TIMEOUT).until(() -> checkpoint(id).isPresent());
    } finally {
      // With SIGKILL.
      first.destroyForcibly().waitFor();
    }
    long kept =
        JsonMapper.builder()
            .build()
            .readTree(checkpoint(id).orElseThrow().toFile())
            .at("/found/rows")
            .asLong();
    assertThat(kept).isPositive();
    AtomicLong read = new AtomicLong();
    try (VerificationWorker second = worker(made -> counted(made, read, page -> false))) {
      assertThat(second).isNotNull();
      ViewVerification over = awaitOver(DYNAMODB, id);

      assertThat(over.status()).as(over.run().step()).isEqualTo(Status.DONE);
      assertThat(over.run().cases()).isEmpty();
      assertThat(over.run().counts().scanned()).isGreaterThan(ITEMS / 2);
      assertThat(read.get()).isPositive().isEqualTo(over.run().counts().scanned() - kept);
    }
    assertThat(rows).isEmptyDirectory();
  }

  private Optional<Path> checkpoint(String id) throws IOException {
    if (!Files.isDirectory(rows)) {
      return Optional.empty();
    }
    try (Stream<Path> files = Files.walk(rows)) {
      return files
          .filter(file -> file.endsWith("checkpoint") && file.getParent().toString().contains(id))
          .findFirst();
    } catch (UncheckedIOException e) {
      // What another process lists may be gone when it is looked at.
      return Optional.empty();
    }
  }

  @Test
  void waitsWhileItsTargetDoesNotAnswer() {
    ViewVerification undisturbed;
    try (VerificationWorker worker = worker()) {
      assertThat(worker).isNotNull();
      undisturbed = verify(DYNAMODB);
    }
    AtomicInteger outages = new AtomicInteger();
    IntPredicate secondPageOnce = page -> page == 2 && outages.incrementAndGet() == 1;
    try (VerificationWorker worker =
        worker(generation -> counted(generation, new AtomicLong(), secondPageOnce))) {
      assertThat(worker).isNotNull();

      ViewVerification over = verify(DYNAMODB);

      assertThat(outages).hasPositiveValue();
      assertThat(over.run().cases()).isEmpty();
      assertThat(over.run().counts()).isEqualTo(undisturbed.run().counts());
    }
  }

  @Test
  void isCancelledWhileItWaitsForItsTarget() {
    try (VerificationWorker worker =
        worker(generation -> counted(generation, new AtomicLong(), page -> page > 1))) {
      assertThat(worker).isNotNull();
      String id = verifications.request(DYNAMODB, VerificationOptions.DEFAULT).id();
      Awaitility.await()
          .atMost(TIMEOUT)
          .until(
              () -> verifications.get(DYNAMODB, id).orElseThrow().run().step(),
              step -> step.equals("waits for the target, which does not answer: throttled"));

      isCancelled(DYNAMODB, id);
    }
    assertThat(rows).isEmptyDirectory();
  }

  /**
   * @param outages whether the target throttles the page of the number, from 1, of a scan
   */
  private Optional<TargetReader> counted(
      ViewGeneration generation, AtomicLong read, IntPredicate outages) {
    AtomicInteger pages = new AtomicInteger();
    ItemStore counting =
        (ItemStore)
            Proxy.newProxyInstance(
                ItemStore.class.getClassLoader(),
                new Class<?>[] {ItemStore.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("scan")
                      && DYNAMODB.equals(arguments[0])
                      && outages.test(pages.incrementAndGet())) {
                    throw new ItemStoreException.Unavailable("throttled", null);
                  }
                  Object answer = method.invoke(items, arguments);
                  if (answer instanceof ItemStore.ItemPage page && DYNAMODB.equals(arguments[0])) {
                    read.addAndGet(page.items().size());
                  }
                  return answer;
                });
    return generation.definition().target() instanceof Target.DynamoDb
        ? Optional.of(new DynamoDbRows(counting, generation))
        : Optional.empty();
  }

  private void awaitReading(String view, String id) {
    Awaitility.await()
        .atMost(TIMEOUT)
        .until(() -> verifications.get(view, id).orElseThrow().run().counts().scanned() > 0);
  }
}
