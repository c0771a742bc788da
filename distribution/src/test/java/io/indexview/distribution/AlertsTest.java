package io.indexview.distribution;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.docs.ComputedPage;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The alerts that the archive brings, and what docs/metrics.md says of them. */
class AlertsTest {
  private static final Pattern TABLE =
      Pattern.compile("\\| alarm \\| expression \\|.*?\n(?=\n)", Pattern.DOTALL);
  private static final Pattern METRIC = Pattern.compile("\\b(?:indexview|kafka|jvm)_[a-z_]*[a-z]");

  private static final Pattern SELECTED =
      Pattern.compile("\\b(indexview_[a-z_]+)\\{[a-z_]+!?=\"([^\"]+)\"}");

  /** What tells how much a counter has risen: the counter, and in which time. */
  private static final Pattern RISE =
      Pattern.compile("\\b(?:increase|rate)\\(([^\\[]+)\\[([0-9a-z]+)]\\)");

  /** Tests of the rules, for promtool. */
  private static final List<String> RULE_TESTS =
      List.of("deploy/etc/alerts-test.yml", "deploy/etc/alerts-days-test.yml");

  private static final Pattern ALERT_NAME = Pattern.compile("\\balertname=~?\"([^\"]+)\"");

  /** What adds up or compares series of different installations. */
  private static final Pattern MIXES_INSTALLATIONS =
      Pattern.compile("\\b(?:sum|max|min|count|on)\\b *+(?!(?:by )?\\(installation\\b)");

  private static final Pattern CODE = Pattern.compile("`([^`]*)`");

  /** Sections of the guide on what a connector's tasks show; their own tests hold them true. */
  private static final List<String> PLUGINS =
      List.of("KV store source", "S3 source", "DynamoDB sink");

  /** What Kafka itself shows by JMX, as the exporter is given it. */
  private static final List<String> KAFKA =
      List.of(
          "kafka.connect<type=connector-metrics, connector=a><>status: failed",
          "kafka.connect<type=connector-task-metrics, connector=a, task=0><>status: failed",
          "kafka.connect<type=task-error-metrics, connector=a, task=0><>total-retries: 1.0",
          "kafka.consumer<type=consumer-fetch-manager-metrics, client-id=a><>records-lag-max: 1.0");

  private final ComputedPage page = new ComputedPage("metrics.md", getClass().getSimpleName());

  private static List<Map<String, Object>> alerts() throws IOException {
    List<?> groups = (List<?>) CompositionTest.yaml("deploy/etc/alerts.yml").get("groups");
    return groups.stream().flatMap(group -> rules(group).stream()).toList();
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> rules(Object group) {
    return (List<Map<String, Object>>) ((Map<String, Object>) group).get("rules");
  }

  @Test
  void theGuideTellsThemAsTheyAre() throws IOException {
    StringBuilder table =
        new StringBuilder(
            "| alarm | expression | for | it means | remedy |\n|---|---|---|---|---|\n");
    for (Map<String, Object> alert : alerts()) {
      Map<?, ?> annotations = (Map<?, ?>) alert.get("annotations");
      table.append(
          "| `%s` | `%s` | %s | %s | %s |\n"
              .formatted(
                  alert.get("alert"),
                  ((String) alert.get("expr")).replace("|", "\\|"),
                  alert.getOrDefault("for", ""),
                  annotations.get("summary"),
                  annotations.get("remedy")));
    }
    Matcher stands = TABLE.matcher(page.read());
    assertThat(stands.results()).hasSize(1);

    page.verify(stands.replaceFirst(Matcher.quoteReplacement(table.toString())));
  }

  @Test
  void askForMetricsThatThereAre() throws IOException {
    Set<String> known = new HashSet<>();
    known.addAll(page.firstColumn("Metrics of the app"));
    known.addAll(page.firstColumn("Metrics of the server"));
    for (String plugin : PLUGINS) {
      for (String attribute : page.firstColumn("Metrics of the " + plugin)) {
        known.add(
            exported("kafka.connect<type=plugins, connector=a, task=0><>" + attribute + ": 1.0"));
      }
    }
    for (String attribute : KAFKA) {
      known.add(exported(attribute));
    }

    for (Map<String, Object> alert : alerts()) {
      String expression = (String) alert.get("expr");
      List<String> metrics = METRIC.matcher(expression).results().map(MatchResult::group).toList();
      assertThat(metrics).as(expression).isSubsetOf(known);
      assertThat(metrics.isEmpty()).as(expression).isEqualTo(expression.startsWith("up{"));
    }
  }

  /** Views, record sets and connectors of different installations may have the same names. */
  @Test
  void tellInstallationsApart() throws IOException {
    assertThat(alerts())
        .extracting(alert -> (String) alert.get("expr"))
        .noneMatch(expression -> MIXES_INSTALLATIONS.matcher(expression).find());
  }

  /**
   * A task or an app may have counted before it was scraped first. One failed scrape does not make
   * it a new one. What has to last for longer than it is looked back is counted later, too.
   */
  @Test
  void seeWhatWasCountedBeforeTheFirstScrape() throws IOException {
    for (Map<String, Object> alert : alerts()) {
      String expression = (String) alert.get("expr");
      for (MatchResult rise : RISE.matcher(expression).results().toList()) {
        if (!alert.containsKey("for")) {
          assertThat(expression)
              .contains(
                  "%s > 0 or (%s > 0 unless last_over_time(%s[10m] offset %s))"
                      .formatted(rise.group(), rise.group(1), rise.group(1), rise.group(2)));
        }
      }
    }
  }

  /** A task that is not scraped for a moment has no sample, and a "for" of hours never ends. */
  @Test
  void doNotBeginAnewAtAFailedScrapeOfATaskThatScans() throws IOException {
    Map<String, Object> alert =
        alerts().stream()
            .filter(one -> one.get("alert").equals("FirstScanDoesNotEnd"))
            .findFirst()
            .orElseThrow();
    String expression = (String) alert.get("expr");
    String underWay = expression.substring(0, expression.indexOf(" and "));

    assertThat(alert).doesNotContainKey("for");
    assertThat(expression)
        .isEqualTo("%s and count_over_time(%s[1d:1h]) > 20".formatted(underWay, underWay));
  }

  /** Prometheus itself evaluates them, over what it would have scraped. */
  @ParameterizedTest
  @ValueSource(strings = {"check rules deploy/etc/alerts.yml", "test rules %s"})
  void fireOnTheFaultThatTheyNameAlone(String arguments) throws Exception {
    assumeTrue(
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(directory -> Files.isExecutable(Path.of(directory, "promtool"))),
        "No promtool is on the PATH: it comes with Prometheus, 2.42 or newer.");
    String command = "promtool " + arguments.formatted(String.join(" ", RULE_TESTS));
    Process promtool =
        new ProcessBuilder(command.split(" "))
            .directory(new File(".."))
            .redirectErrorStream(true)
            .start();
    String output = new String(promtool.getInputStream().readAllBytes(), UTF_8);

    assertThat(promtool.waitFor()).as(output).isZero();
  }

  @Test
  void haveATestInWhichTheyFire() throws IOException {
    Set<String> fire = new HashSet<>();
    for (String file : RULE_TESTS) {
      for (Object test : (List<?>) CompositionTest.yaml(file).get("tests")) {
        for (Object query : (List<?>) ((Map<?, ?>) test).get("promql_expr_test")) {
          fire.addAll(expected((Map<?, ?>) query));
        }
      }
    }

    assertThat(alerts()).extracting(alert -> alert.get("alert")).allMatch(fire::contains);
  }

  /** The alarms that a query of a test wants to fire. */
  private static List<String> expected(Map<?, ?> query) {
    if (query.get("exp_samples") == null) {
      return List.of();
    }
    return ALERT_NAME
        .matcher(query.get("expr") + " " + query.get("exp_samples"))
        .results()
        .map(name -> name.group(1))
        .toList();
  }

  /** Values that a metric tells apart, one by one, are in the guide beside it. */
  @Test
  void askForValuesThatThereAre() throws IOException {
    for (Map<String, Object> alert : alerts()) {
      for (MatchResult selected : SELECTED.matcher((String) alert.get("expr")).results().toList()) {
        assertThat(values(selected.group(1))).as(selected.group()).contains(selected.group(2));
      }
    }
  }

  private Set<String> values(String metric) throws IOException {
    if (metric.equals("indexview_view_state")) {
      return Stream.of(ViewState.State.values())
          .map(ViewState.State::name)
          .collect(Collectors.toSet());
    }
    return page.read()
        .lines()
        .filter(line -> line.startsWith("| `" + metric + "`"))
        .flatMap(line -> CODE.matcher(line).results())
        .map(word -> word.group(1))
        .collect(Collectors.toSet());
  }

  @Test
  void askForTheJobsOfTheComposition() throws IOException {
    List<?> jobs =
        (List<?>) CompositionTest.yaml("deploy/etc/prometheus.yml").get("scrape_configs");
    String names =
        jobs.stream()
            .map(job -> (String) ((Map<?, ?>) job).get("job_name"))
            .collect(Collectors.joining("|"));

    assertThat(alerts())
        .filteredOn(alert -> ((String) alert.get("expr")).startsWith("up"))
        .extracting(alert -> alert.get("expr"))
        .containsExactly("up{job=~\"" + names + "\"} == 0");
  }

  /** As the exporter writes names, of metrics of no type. */
  private static String exported(String attribute) throws IOException {
    return CompositionTest.shown(attribute)
        .orElseThrow()
        .replaceAll("[^a-z]", "_")
        .replaceFirst("_total$", "");
  }
}
