package io.indexview.cli.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerAddressTest {
  private static final ServerFile LOCAL =
      new ServerFile(
          URI.create("http://127.0.0.1:8480"),
          new ServerFile.S3(
              URI.create("http://127.0.0.1:9000"), "us-east-1", "local", "hunter2", "files"));

  @TempDir private Path data;

  @Test
  void findsTheLocalStack() throws IOException {
    LOCAL.write(data);

    assertThat(ServerAddress.find(null, null, null, data).url()).isEqualTo(LOCAL.url());
    assertThat(ServerFile.read(data)).contains(LOCAL);
    assertThat(LOCAL.toString()).doesNotContain("hunter2");
  }

  @Test
  void writesWhereTheServerIsForItsUserAlone() throws IOException {
    LOCAL.write(data);
    LOCAL.write(data);

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(ServerFile.in(data))))
        .isEqualTo("rw-------");
    try (var files = Files.list(data)) {
      assertThat(files).containsExactly(ServerFile.in(data));
    }
  }

  @Test
  void saysHowToGetAServer() {
    assertThatThrownBy(() -> ServerAddress.find(null, null, null, data))
        .isInstanceOf(CommandException.Unavailable.class)
        .hasMessageContaining("indexview local")
        .hasMessageContaining(data.toString())
        .hasMessageContaining("INDEXVIEW_SERVER");
  }

  @Test
  void takesTheLineBreakAtTheEndOfATokenForNoneOfIt() throws IOException {
    Path file = Files.writeString(data.resolve("token"), "s3cret\r\n");

    assertThat(ServerAddress.find("https://views", null, "s3cret\n", data).token())
        .contains("s3cret");
    assertThat(ServerAddress.find("https://views", file, null, data).token()).contains("s3cret");
  }

  @Test
  void refusesATokenThatNoHeaderCanHoldWithoutTellingIt() throws IOException {
    Path file = Files.writeString(data.resolve("token"), "s3cret\nnewer");

    assertThatThrownBy(() -> ServerAddress.find("https://views", null, "s3cret\nnewer", data))
        .isInstanceOf(CommandException.Usage.class)
        .hasMessageContaining("INDEXVIEW_TOKEN")
        .hasMessageNotContaining("s3cret");
    assertThatThrownBy(() -> ServerAddress.find("https://views", file, null, data))
        .isInstanceOf(CommandException.Usage.class)
        .hasMessageContaining("--token-file")
        .hasMessageNotContaining("s3cret");
  }

  @Test
  void saysThatItsFileIsBroken() throws IOException {
    Files.writeString(ServerFile.in(data), "{");

    assertThatThrownBy(() -> ServerAddress.find(null, null, null, data))
        .isInstanceOf(CommandException.Usage.class)
        .hasMessageContaining("server.json");
  }

  @Test
  void prefersWhatIsGiven() throws IOException {
    LOCAL.write(data);
    Path token = Files.writeString(data.resolve("token"), "from-file\n");
    ServerAddress address =
        ServerAddress.find("https://views.example", token, "from-environment", data);

    assertThat(address.url()).hasToString("https://views.example");
    assertThat(address.token()).contains("from-file");
    assertThat(address.toString()).doesNotContain("from-file");
    assertThat(ServerAddress.find("https://views.example", null, "t", data).token()).contains("t");
  }

  @ParameterizedTest
  @ValueSource(strings = {"views.example", "ftp://views.example", "https://", "http://a b", "x"})
  void refusesWhatIsNoServer(String text) {
    assertThatThrownBy(() -> ServerAddress.find(text, null, null, data))
        .isInstanceOf(CommandException.Usage.class)
        .hasMessageContaining(text);
  }

  @Test
  void sendsNoTokenWhereOthersCanReadIt() {
    assertThatThrownBy(() -> ServerAddress.find("http://192.0.2.1:8480", null, "secret", data))
        .isInstanceOf(CommandException.Usage.class)
        .hasMessageContaining("https")
        .hasMessageNotContaining("secret");
    assertThat(ServerAddress.find("http://127.0.0.1:8480", null, "secret", data).token())
        .contains("secret");
  }
}
