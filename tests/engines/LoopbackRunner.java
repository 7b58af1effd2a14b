import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import software.amazon.dynamodb.services.local.main.ServerRunner;

/** DynamoDB Local listens on every interface and has no option against it: this sets the host of its connectors. */
class LoopbackRunner {
    public static void main(String[] options) throws Exception {
        var proxy = ServerRunner.createServerFromCommandLineArgs(options);
        var server = proxy.getClass().getDeclaredField("server");
        server.setAccessible(true);
        for (var connector : ((Server) server.get(proxy)).getConnectors()) {
            ((ServerConnector) connector).setHost("127.0.0.1");
        }
        proxy.safeStart();
        proxy.join();
    }
}
