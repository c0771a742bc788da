package io.indexview.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.cli.api.ExitCodes;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvStores;
import io.indexview.server.TestServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordCommandsTest {
  private static final String KEY = "/World/people/1";
  private static final String ANN =
      "{\"name\": \"Ann\", \"org\": \"Support\", \"joined\": \"2017-08-20\"}";

  @TempDir private Path directory;

  private KvStore store;
  private TestServer server;
  private Cli cli;

  @BeforeEach
  void start() throws IOException {
    store = KvStores.open(KvStoreConfig.of("embedded:" + directory));
    server = TestServer.startWithRecords(store, true);
    cli = Cli.of(server);
  }

  @AfterEach
  void stop() {
    server.close();
    store.close();
  }

  @Test
  void putsGetsAndDeletes() {
    Cli.Run put = cli.run("records", "put", "people", KEY, ANN);
    Cli.Run get = cli.run("records", "get", "people", KEY);
    Cli.Run delete = cli.run("records", "delete", "people", KEY);

    assertThat(put.exitCode()).as(put.err()).isZero();
    assertThat(put.out()).contains("version  ", "token    v1~");
    assertThat(get.out()).contains("name: Ann", "joined: 2017-08-20");
    assertThat(delete.exitCode()).isZero();
    assertThat(cli.run("records", "get", "people", KEY).exitCode()).isEqualTo(ExitCodes.NOT_FOUND);
    assertThat(cli.run("records", "delete", "people", KEY).exitCode())
        .isEqualTo(ExitCodes.NOT_FOUND);
  }

  @Test
  void writesOnlyWhatIsExpected() {
    assertThat(cli.run("records", "put", "people", KEY, ANN, "--if-absent").exitCode()).isZero();
    Cli.Run conflict = cli.run("records", "put", "people", KEY, ANN, "--if-absent");

    assertThat(conflict.exitCode()).isEqualTo(ExitCodes.FAILED);
    assertThat(conflict.err()).contains(KEY);
    assertThat(cli.run("records", "put", "people", KEY, ANN, "--if-version=0:1").exitCode())
        .isEqualTo(ExitCodes.FAILED);
  }

  @Test
  void namesEveryFieldThatIsWrong() {
    Cli.Run run = cli.run("records", "put", "people", KEY, "{\"name\": 1}");

    assertThat(run.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(run.err())
        .contains("name \"1\": use a text", "org: is missing", "joined: is missing");
    assertThat(store.get(KvKey.fromString(KEY))).isEmpty();
  }

  @Test
  void refusesWhatIsNoRecordKeyOrRecordSet() {
    for (String value : List.of("{", "[1]", "", "null", "7")) {
      Cli.Run run = cli.run("records", "put", "people", KEY, value);
      assertThat(run.exitCode()).isEqualTo(ExitCodes.USAGE);
      assertThat(run.err()).contains("write '{").hasLineCount(1);
    }
    assertThat(cli.run("records", "put", "people", "1", ANN).exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.run("records", "put", "planets", KEY, ANN).exitCode())
        .isEqualTo(ExitCodes.NOT_FOUND);
  }
}
