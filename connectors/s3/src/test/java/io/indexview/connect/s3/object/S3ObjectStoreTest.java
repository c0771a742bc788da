package io.indexview.connect.s3.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.indexview.connect.s3.AwsTestConfig;
import io.indexview.connect.s3.client.AwsClients;
import io.indexview.connect.s3.client.AwsRequestException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What S3 answers, on a server that answers so. */
@Timeout(60)
class S3ObjectStoreTest {
  private static final String ERROR = "<Error><Code>%s</Code><Message>no</Message></Error>";
  private static final Answer TAGS =
      new Answer(
          200, "<Tagging><TagSet><Tag><Key>class</Key><Value>x</Value></Tag></TagSet></Tagging>");
  private static final Answer EMPTY_LIST = new Answer(200, "<ListBucketResult/>");

  private static final String ONE_OBJECT =
      "<ListBucketResult>%s<Contents><Key>%s</Key><Size>7</Size><ETag>abc</ETag>"
          + "<LastModified>2017-08-19T23:00:00Z</LastModified></Contents></ListBucketResult>";

  private HttpServer server;
  private S3ObjectStore store;

  private volatile Answer head = new Answer(200, "");
  private volatile Answer list = EMPTY_LIST;
  private volatile Answer encodedList;
  private volatile Answer next = EMPTY_LIST;
  private volatile Answer tags = TAGS;
  private volatile String asked;

  private record Answer(int status, String body) {
    static Answer error(int status, String code) {
      return new Answer(status, ERROR.formatted(code));
    }
  }

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    store =
        new S3ObjectStore(
            AwsClients.s3(
                AwsTestConfig.access(
                    URI.create("http://127.0.0.1:" + server.getAddress().getPort())),
                4),
            true);
  }

  @AfterEach
  void stop() {
    store.close();
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    boolean isHead = exchange.getRequestMethod().equals("HEAD");
    String query = exchange.getRequestURI().getQuery();
    asked = exchange.getRequestURI().getRawPath();
    Answer answer = isHead ? head : answerTo(query);
    exchange.getResponseHeaders().add("Last-Modified", "Sat, 19 Aug 2017 23:00:00 GMT");
    exchange.getResponseHeaders().add("ETag", "\"abc\"");
    if (isHead) {
      exchange.getResponseHeaders().add("Content-Length", "7");
      exchange.sendResponseHeaders(answer.status(), -1);
    } else {
      byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(answer.status(), body.length);
      exchange.getResponseBody().write(body);
    }
    exchange.close();
  }

  private Answer answerTo(String query) {
    if (query.contains("tagging")) {
      return tags;
    }
    if (query.contains("encoding-type=url") && encodedList != null) {
      return encodedList;
    }
    return query.contains("continuation-token") ? next : list;
  }

  @Test
  void asksForTags() {
    ObjectInfo found = store.head("files", "a").orElseThrow();

    assertThat(found.size()).isEqualTo(7);
    assertThat(found.eTag()).isEqualTo("abc");
    assertThat(found.attributes().tags()).isEqualTo(Map.of("class", "x"));
  }

  @Test
  void takesAnObjectForGoneThatIsGoneBeforeItsTagsAreAskedFor() {
    tags = Answer.error(404, "NoSuchKey");
    assertThat(store.head("files", "a")).isEmpty();

    tags = Answer.error(404, "NoSuchVersion");
    assertThat(store.head("files", "a")).isEmpty();
  }

  /** As servers answer that are like S3. */
  @Test
  void takesAnObjectWithoutTagsForNoneThatIsGone() {
    tags = Answer.error(404, "NoSuchTagSet");

    assertThat(store.head("files", "a").orElseThrow().attributes().tags()).isEmpty();
  }

  @Test
  void takesNothingForGoneForAnotherReason() {
    tags = Answer.error(404, "NoSuchBucket");

    assertThatThrownBy(() -> store.head("files", "a"))
        .isInstanceOf(AwsRequestException.Permanent.class);
  }

  @Test
  void refusesAScanWithoutTagsThatNobodyMayRead() {
    tags = Answer.error(403, "AccessDenied");

    assertThatThrownBy(() -> store.head("files", "a"))
        .isInstanceOf(AwsRequestException.Permanent.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 403})
  void findsOutWhyAScanIsRefusedWithoutAWord(int status) {
    head = new Answer(status, "");
    list = Answer.error(400, "ExpiredToken");

    assertThatThrownBy(() -> store.head("files", "a"))
        .isInstanceOf(AwsRequestException.Unavailable.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 403})
  void isRefusedWhenOnlyTheScanIs(int status) {
    head = new Answer(status, "");

    assertThatThrownBy(() -> store.head("files", "a"))
        .isInstanceOf(AwsRequestException.Permanent.class);
    list = Answer.error(403, "AccessDenied");
    assertThatThrownBy(() -> store.head("files", "a"))
        .isInstanceOf(AwsRequestException.Permanent.class)
        .hasMessageContaining(Integer.toString(status));
  }

  @Test
  void goesOnBehindAnEmptyPage() {
    list =
        new Answer(
            200,
            "<ListBucketResult><IsTruncated>true</IsTruncated>"
                + "<NextContinuationToken>t</NextContinuationToken></ListBucketResult>");
    next = new Answer(200, ONE_OBJECT.formatted("", "a"));

    ObjectStore.Page page = store.listAfter("files", null);

    assertThat(page.objects()).extracting(ObjectInfo::key).containsExactly("a");
    assertThat(page.isLast()).isTrue();
  }

  @Test
  void listsKeysThatXmlCannotHold() {
    list = new Answer(200, ONE_OBJECT.formatted("", "a b+c/&#x3;"));
    encodedList =
        new Answer(200, ONE_OBJECT.formatted("<EncodingType>url</EncodingType>", "a+b%2Bc/%03"));

    assertThat(store.listAfter("files", null).objects())
        .extracting(ObjectInfo::key)
        .containsExactly("a b+c/\u0003");
    assertThat(store.isListed("files", "a b+c/\u0003")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a b+c", "100%25", "/a", "a//b", "a/../b", "./a", "ü/\u0003", "a?b#c;d"})
  void looksAtTheVeryKey(String key) {
    assertThat(store.head("files", key)).map(ObjectInfo::key).contains(key);
    String escaped = asked.replace("+", "%2B");
    assertThat(URLDecoder.decode(escaped, StandardCharsets.UTF_8)).isEqualTo("/files/" + key);
  }

  @Test
  void triesAgainWhileTheStoreIsBusy() {
    head = new Answer(503, "");
    list = Answer.error(503, "SlowDown");

    assertThatThrownBy(() -> store.head("files", "a"))
        .isInstanceOf(AwsRequestException.Unavailable.class);
    assertThatThrownBy(() -> store.listAfter("files", null))
        .isInstanceOf(AwsRequestException.Unavailable.class);
  }

  @Test
  void needsSomebodyWhenABucketIsElsewhereOrForbidden() {
    list = Answer.error(301, "PermanentRedirect");
    assertThatThrownBy(() -> store.listAfter("files", null))
        .isInstanceOf(AwsRequestException.Permanent.class);

    list = Answer.error(403, "AccessDenied");
    assertThatThrownBy(() -> store.listAfter("files", null))
        .isInstanceOf(AwsRequestException.Permanent.class)
        .hasMessageContaining("files");
  }
}
